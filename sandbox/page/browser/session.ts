import { attempt, does } from './acts.ts';
import { read } from './state/api.ts';
import { goTo } from './layout/channels.ts';
import { openChannel } from './messages/room.ts';
import {
  actors,
  type Channel,
  channelOf,
  type Guild,
  locale,
  type Person,
  redraw,
  state,
} from './state/state.ts';

const TEXT_CHANNELS = [0, 1, 5, 10, 11, 12];

type Community = {
  /** As whom one acts at first. */
  firstActor: string | null;
  bot: { id: string; online: boolean };
  guilds: (Guild & { members: Person[] })[];
};

export async function readCommunity(): Promise<void> {
  const { bot, guilds, firstActor } = await read<Community>('community');
  const [guild] = guilds;
  if (guild !== undefined) state.guild = guild;
  state.people = new Map(
    guilds.flatMap(({ members }) => members).map((member) => [member.user.id, member]),
  );
  state.botId = bot.id;
  state.botOnline = bot.online;
  const kept = state.me === '' ? (sessionStorage.getItem('me') ?? '') : state.me;
  const first = [kept, firstActor ?? ''].find((id) => state.people.has(id));
  state.me = first ?? actors()[0]?.user.id ?? '';
  redraw();
}

export async function readChannels(): Promise<void> {
  const { me } = state;
  const all = await read<Channel[]>(`as/${me}/channels`);
  if (state.me !== me) return;
  state.channels = all.filter((one) => one.type === 1 || one.guild_id === state.guild.id);
  redraw();
}

/** Reads everything again, after a switch of the member or a lost stream. */
export async function readAll(): Promise<void> {
  await attempt(async () => {
    await does('direct-messages', {});
    await readCommunity();
    if (state.people.get(state.me)?.locale !== locale()) await does('speak', { locale: locale() });
    await readChannels();
    await openWhatIsNamed('reread');
  });
}

/** The channel that the address names, or else the first that can be read. */
export async function openWhatIsNamed(why: 'go' | 'reread' = 'go'): Promise<void> {
  const [channel = '', message = ''] = location.hash.slice(1).split('/');
  const readable = state.channels.filter((one) => TEXT_CHANNELS.includes(one.type));
  const named = [channel, state.channelId].find((id) => readable.some((one) => one.id === id));
  const id = named ?? readable.find((one) => one.type === 0)?.id;
  if (id !== undefined) await openChannel(id, id === channel ? message : '', why);
}

/** Leaves a channel that was deleted or may no longer be viewed, and opens the first text channel. */
export async function leaveLostChannel(): Promise<void> {
  if (channelOf(state.channelId) === undefined) {
    const first = state.channels.find((one) => one.type === 0);
    if (first !== undefined) goTo(first.id);
  }
}
