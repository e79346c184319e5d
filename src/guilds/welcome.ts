import {
  type APIEmbed,
  type APIMessage,
  AuditLogEvent,
  ChannelFlags,
  ChannelType,
  type Client,
  Events,
  type Guild,
  type GuildBasedChannel,
  MessageType,
  type NonThreadGuildBasedChannel,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { readBoard } from '../board/stored-board.ts';
import { readDigests } from '../digests/stored-digests.ts';
import { digestTitle } from '../digests/command/describe.ts';
import { countListed } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import { notifyAdmins } from '../community/admin-messages.ts';
import type { Due } from '../due/due.ts';
import type { Held, Kind } from '../due/kind.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { type Clock, DAY_MS } from '../runtime/clock.ts';
import { fault, type Log } from '../runtime/log.ts';
import type { Imports, LinkCounts } from '../history/import/import-needs.ts';
import { countsFor, pastLines } from '../history/import/link-count-texts.ts';
import { compareIds, type Snowflake, snowflakeAt, zSnowflake } from '../runtime/snowflake.ts';
import { isApiError, readAnswer } from '../discord/api-errors.ts';
import { cleanTitle } from '../text/clean.ts';
import { translate } from '../text/catalogue.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  permissionNames,
} from '../discord/access/permissions.ts';
import { isListed } from '../discord/access/visibility.ts';
import type { Requests } from '../discord/requests/requests.ts';
import { type ActionRow, button, card, row } from '../discord/interactions/components.ts';
import { limits } from '../discord/limits.ts';

/** What a welcome needs of the bot. */
export interface WelcomeNeeds {
  /** Tells of guilds that the bot joins. */
  client: Client;
  /** Says what could not be done. */
  log: Log;
  /** Requests that can wait. */
  requests: Requests;
  /** Notes who is welcomed, and has the digests and the board of a server that had the bot before. */
  store: Store;
  /** Where its articles are still. */
  ranking: Ranking;
  /** Counts the links that a server already has. */
  imports: Pick<Imports, 'counts'>;
  /** Whether the host has switched on the Message Content intent. */
  messageContent: boolean;
  /** Has a guild welcomed when the bot finds itself in it. */
  due: Due;
  /** Discord's time. */
  clock: Clock;
}

const SIDE_BY_SIDE = 4;
/** A guild that the bot joined longer ago is no new one, whatever is noted of it. */
const NEW_MS = 30 * DAY_MS;

/**
 * Sends one welcome message to a guild that has just added the bot, with a button for the set-up. When the
 * links that are already there are counted, the message says so and offers to begin with them. A server that had
 * the bot lately is told what is there as it was.
 */
export function welcomeGuilds(needs: WelcomeNeeds): void {
  const { client, due } = needs;
  due.handle(welcomeKind(needs));
  // Whoever added the bot looks at the channel now. What cannot be planned is planned when the guild arrives.
  client.on(Events.GuildCreate, ({ id }) => void due.plan(id, 'welcome', 0).catch(() => {}));
}

/**
 * Discord says of each guild when the bot joined it. A guild is welcomed once for each such time: also when the bot
 * was off then, since the guild arrives with it.
 */
function welcomeKind(needs: WelcomeNeeds): Kind {
  const { client, store, clock } = needs;
  const isWelcomed = async ({ id, joinedTimestamp }: Guild): Promise<boolean> =>
    (await store.redis.get(storeKeys(store, id).welcomed)) === String(joinedTimestamp);
  return {
    name: 'welcome',
    sideBySide: SIDE_BY_SIDE,
    ignoresTime: true,
    async standing(id) {
      const guild = client.guilds.cache.get(id);
      const isNew = guild?.available && clock.now() - guild.joinedTimestamp < NEW_MS;
      return isNew && !(await isWelcomed(guild)) ? [{ row: 'welcome', atMs: 0 }] : [];
    },
    async run(held) {
      const guild = client.guilds.cache.get(held.guild);
      // It is planned again when the guild arrives.
      if (!guild?.available || (await isWelcomed(guild))) return { atMs: null };
      await welcome(needs, guild, held);
      await store.redis.set(storeKeys(store, guild.id).welcomed, guild.joinedTimestamp);
      return { atMs: null };
    },
  };
}

const GONE = ['UnknownMessage', 'UnknownChannel', 'MissingAccess', 'MissingPermissions'] as const;

async function welcome(needs: WelcomeNeeds, guild: Guild, held: Held): Promise<void> {
  const { imports, messageContent } = needs;
  const place = placeOf(guild);
  if (place === undefined) return tellWhoAdded(needs, guild);
  const noted = held.notes.get('message');
  const sent = noted ?? (await greet(needs, place));
  // The welcome back, and one of before a loss of Redis, have nothing to count.
  if (!messageContent || sent === null) return;
  await held.write({ message: sent });
  const counts = await imports.counts.read(guild);
  // One that ends counts no further; the next goes on.
  held.signal.throwIfAborted();
  const body = welcomeMessage(place, { messageContent, counts });
  const [channel, message] = sent.split('/') as [string, string];
  const edited = guild.client.rest.patch(Routes.channelMessage(channel, message), {
    body: { ...body, allowed_mentions: { parse: [] } },
  });
  await edited.catch((error: unknown) => {
    // Somebody deleted it, or closed its channel: then it needs no counts.
    if (!isApiError(error, ...GONE)) throw error;
  });
}

/** Returns `<channel>/<message>` of a welcome to which the counts of links are still to be added, or null. */
async function greet(needs: WelcomeNeeds, place: GuildBasedChannel): Promise<string | null> {
  const { messageContent } = needs;
  // Redis may have lost the note, or the bot died before it.
  if (await hasWritten(place)) return null;
  const there = await readThere(needs, place.guild);
  if (there.length > 0) {
    await send(place, returnMessage(place.guild, there));
    return null;
  }
  const sent = await send(place, welcomeMessage(place, { messageContent, counts: null }));
  return `${sent.channel_id}/${sent.id}`;
}

const zWritten = z.array(z.object({ type: z.int(), author: z.object({ id: zSnowflake }) }));
const PAGE = 100;
/** Discord adds other types at any time. */
const ORDINARY: number = MessageType.Default;

/**
 * Whether the bot has written there since it joined, as a bot that was on then has. In a channel whose history it may
 * not read, Discord shows nothing.
 */
async function hasWritten({ id, type, guild }: GuildBasedChannel): Promise<boolean> {
  const { rest, user } = guild.client;
  const joined = snowflakeAt(guild.joinedTimestamp);
  if (type === ChannelType.GuildForum) {
    return guild.channels.cache.some(
      (each) =>
        each.isThread() &&
        each.parentId === id &&
        each.ownerId === user.id &&
        compareIds(each.id, joined) > 0,
    );
  }
  const read = async (query: Record<string, string>) =>
    readAnswer(
      zWritten,
      await rest.get(Routes.channelMessages(id), { query: new URLSearchParams(query) }),
    );
  const isOwn = (messages: z.infer<typeof zWritten>): boolean =>
    // Discord's own line about a new member is the bot's too.
    messages.some(({ type: kind, author }) => author.id === user.id && kind === ORDINARY);
  const limit = String(PAGE);
  const first = await read({ after: joined, limit });
  if (isOwn(first) || first.length < PAGE) return isOwn(first);
  return isOwn(await read({ limit }));
}

/** What the server has from before, named in its language; empty for a new one, and without Redis. */
async function readThere(needs: WelcomeNeeds, guild: Guild): Promise<string[]> {
  const { ranking, store, log } = needs;
  const locale = guild.preferredLocale;
  try {
    const [total, digests, board] = await Promise.all([
      countListed(ranking, guild.id),
      readDigests(store, guild.id),
      readBoard(store, guild.id),
    ]);
    return [
      ...(total > 0 ? [translate(locale, 'setup.return.articles', { count: total })] : []),
      ...digests.slice(0, DIGESTS_NAMED).map((stored) => digestTitle(locale, stored)),
      ...(board === null ? [] : [translate(locale, 'frontpage.button.board')]),
    ];
  } catch (error) {
    log.info({ ...fault(error), guild: guild.id }, 'It is unknown whether a guild is new.');
    return [];
  }
}

const DIGESTS_NAMED = 3;

function returnMessage({ preferredLocale: locale }: Guild, there: readonly string[]) {
  const text = translate(locale, 'setup.return', { things: there.join(' · ') });
  const start = button('frontpage|setup|start', translate(locale, 'setup.start'));
  const embeds = [card(translate(locale, 'setup.return.title'), text)];
  return { embeds, components: [row(start)] };
}

/** In a forum it is a post. */
async function send(
  { id, type, client: { rest }, guild }: GuildBasedChannel,
  welcome: { embeds: APIEmbed[]; components: ActionRow[] },
): Promise<APIMessage> {
  const message = { ...welcome, allowed_mentions: { parse: [] } };
  if (type === ChannelType.GuildForum) {
    const name = welcome.embeds[0]?.title;
    const post = await rest.post(Routes.threads(id), { body: { name, message } });
    return (post as { message: APIMessage }).message;
  }
  // With the nonce, a repeated request after a lost answer creates no second message.
  const nonce = `welcome-${guild.id}`.slice(0, limits.nonceLength);
  const body = { ...message, nonce, enforce_nonce: true };
  return (await rest.post(Routes.channelMessages(id), { body })) as APIMessage;
}

/** Where the bot may write nowhere, it tells who added it, if the audit log says who, or else the owner. */
async function tellWhoAdded(needs: WelcomeNeeds, guild: Guild): Promise<void> {
  const text = translate(guild.preferredLocale, 'setup.welcome.nowhere', {
    server: cleanTitle(guild.name),
    permissions: permissionNames(MESSAGE_PERMISSIONS),
  });
  await notifyAdmins(needs, { guild: guild.id }, text, (await whoAdded(guild)) ?? guild.ownerId);
}

const zAdded = z.object({
  audit_log_entries: z.array(z.object({ user_id: zSnowflake, target_id: zSnowflake })),
});

async function whoAdded(guild: Guild): Promise<Snowflake | null> {
  if (guild.members.me?.permissions.has('ViewAuditLog') !== true) return null;
  const query = new URLSearchParams({ action_type: String(AuditLogEvent.BotAdd), limit: '10' });
  const found = await guild.client.rest.get(Routes.guildAuditLog(guild.id), { query });
  const { data } = zAdded.safeParse(found);
  const added = data?.audit_log_entries.find(
    ({ target_id: target }) => target === guild.client.user.id,
  );
  return added?.user_id ?? null;
}

function welcomeMessage(
  place: GuildBasedChannel,
  { messageContent, counts }: { messageContent: boolean; counts: LinkCounts | null },
) {
  const { guild } = place;
  const locale = guild.preferredLocale;
  const hasLinks = (counts?.channels.length ?? 0) > 0;
  // Whoever reads it there sees that channel, and those that everyone may view.
  const maySee = (id: Snowflake) => id === place.id || isListed(guild.channels.cache.get(id));
  const past = { messageContent, counts: countsFor(counts, maySee) };
  const begin = button('frontpage|import|start', translate(locale, 'frontpage.button.import'));
  const lines = [translate(locale, 'setup.welcome'), '', ...pastLines(locale, past)];
  return {
    embeds: [card(translate(locale, 'setup.welcome.title'), lines)],
    components: [
      row(
        button('frontpage|setup|start', translate(locale, 'setup.start'), 'main'),
        ...(hasLinks ? [begin] : []),
      ),
    ],
  };
}

/** The kinds of channels that can hold the welcome, the most fitting first. */
const PLACES = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildForum,
] as const;

/**
 * Where the welcome goes, of the channels in which the bot may write: one that everyone may view, or else any;
 * the system channel before others, and then as they stand in Discord.
 */
function placeOf(guild: Guild): GuildBasedChannel | undefined {
  const rank = (channel: NonThreadGuildBasedChannel): number[] => [
    isListed(channel) ? 0 : 1,
    PLACES.findIndex((type) => type === channel.type),
    channel.id === guild.systemChannelId ? 0 : 1,
    channel.rawPosition,
  ];
  const [best] = [...guild.channels.cache.values()]
    .filter((channel) => !channel.isThread())
    .filter(mayWelcome)
    .map((channel) => ({ channel, rank: rank(channel) }))
    .sort((a, b) => a.rank.map((one, at) => one - b.rank[at]!).find((less) => less !== 0) ?? 0);
  return best?.channel;
}

function mayWelcome(channel: NonThreadGuildBasedChannel): boolean {
  if (!PLACES.some((type) => type === channel.type)) return false;
  if (missingPermissions(channel, MESSAGE_PERMISSIONS).length > 0) return false;
  // Which tag would fit, only its members know.
  return !channel.flags.has(ChannelFlags.RequireTag);
}
