import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ChannelType } from 'discord-api-types/v10';
import { addReaction } from '../discord-box/src/world/messages/reactions.ts';
import { type Channel, seededRandom } from '../discord-box/src/index.ts';
import { createChannel } from '../discord-box/src/world/channels/change-channel.ts';
import { createMessage } from '../discord-box/src/world/messages/change-message.ts';
import { type Community, startCommunity } from '../discord-box/test/community.ts';
import { DAY_MS } from '../src/runtime/clock.ts';
import { askTop, p95 } from './ask-top.ts';
import type { Bench } from './bench.ts';
import { startBot } from './bot-process.ts';
import { grouped, round, type Row } from './table.ts';
import { until } from './until.ts';

const CHANNELS = 60;
const YEAR_DAYS = 365;
const MEMBERS = 60;
/** Of all messages. */
const IN_THREADS = 0.2;
const PER_THREAD = 10;
const ARCHIVED_AFTER_MS = 3 * DAY_MS;
/** Of all messages, and of those with links. */
const WITH_LINKS = 0.3;
const WITH_REACTIONS = 0.25;
/** The ten best of the last week have more votes than all others. */
const BEST = 10;
const BEST_VOTES = 40;
const OTHERS_VOTES = 20;
/** The front page is asked for so long beside the import. */
const BESIDE_MS = 120_000;
const PAUSE_MS = 100;

/** A server with a year of messages begins with them, under Discord's limits. */
export async function measureImports({ server, clock, quick }: Bench): Promise<Row[]> {
  const messages = quick ? 3000 : 50_000;
  const privileged = { messageContent: true, guildMembers: false, presences: false };
  const sandbox = await startCommunity({ clock, privileged });
  const { best, people } = tellYear(sandbox, messages);
  let asked = 0;
  // One after the other, since a member may ask for 30 such lists a minute.
  const ask = () => askBestOfWeek(sandbox, people[(asked += 1) % people.length]!);
  const bot = await startBot(sandbox, { REDIS_URL: server.url, MESSAGE_CONTENT: 'on' });
  try {
    const general = sandbox.channels.general.id;
    const admin = sandbox.as(sandbox.admin);
    const calm: number[] = [];
    for (let n = 0; n < (quick ? 20 : 100); n += 1) calm.push((await ask()).tookMs);
    const begin = 'frontpage|import|begin';
    let question = '';
    // Until the guild's ranking is known to be complete.
    const isAsked = async () => {
      const { message } = await admin.command(general, 'frontpage import', { after: '365d' });
      question = message?.id ?? '';
      return JSON.stringify(message?.components ?? []).includes(begin);
    };
    await until(isAsked, 60_000, 1000);
    const begunMs = performance.now();
    await admin.press(general, question, begin);
    const beside: number[] = [];
    let isThereMs = Number.NaN;
    const sinceMs = () => performance.now() - begunMs;
    const endMs = quick ? 30_000 : BESIDE_MS;
    while (sinceMs() < endMs) {
      const { tookMs, links } = await ask();
      beside.push(tookMs);
      const isThere = best.every((link, at) => links[at] === link);
      if (isThere && Number.isNaN(isThereMs)) isThereMs = sinceMs();
      await pause(PAUSE_MS);
    }
    const what = `an import of ${grouped(messages)} messages of ${CHANNELS} channels`;
    return [
      {
        what: `/top beside ${what}, p95`,
        of: `before it ${round(p95(calm))} ms`,
        result: p95(beside),
        unit: 'ms',
        limits: { atLeast: 300, aim: 100 },
      },
      {
        what: `${what}: the ten best of the last week in /top, with their votes`,
        of: '',
        result: isThereMs / 1000,
        unit: 's',
        limits: { atLeast: 60, aim: 30 },
      },
    ];
  } finally {
    bot.kill('SIGTERM');
    await once(bot, 'exit');
    await sandbox.stop();
  }
}

/** The most voted of the week, as a member reads them. */
async function askBestOfWeek(
  sandbox: Community,
  member: string,
): Promise<{ tookMs: number; links: string[] }> {
  const { message, tookMs } = await askTop(sandbox, { order: 'votes', period: 'week' }, member);
  const text = message?.embeds[0]?.description ?? '';
  const items = [...text.matchAll(/\]\((https:\/\/pages\.example\/\d+)\).*\n-# ▲ (\d+)/g)];
  return { tookMs, links: items.map(([, link, votes]) => `${link} ${votes}`) };
}

/**
 * Messages of a year in all channels and their threads, evenly, by `people`. `best`: the ten best of the last
 * week as `/top` is to show them: the link, and the votes without those that do not count.
 */
function tellYear(
  { world, operator, channels: named }: Community,
  count: number,
): { best: string[]; people: string[] } {
  const random = seededRandom(1);
  const people = Array.from({ length: MEMBERS }, (_, n) =>
    operator.addPerson({ username: `reader-${n}`, bornMs: Date.UTC(2020, 0, 1) }),
  );
  const { general, rust, ai, gameDev } = named;
  const channels = [general, rust, ai, gameDev];
  // A forum, in which nobody has posted, is one more.
  while (channels.length < CHANNELS - 1) {
    const { id } = operator.createChannel({ name: `topic-${channels.length}` });
    channels.push(world.channels.get(id)!);
  }
  const now = world.clock.now();
  const timeOf = (n: number) => Math.floor(now - ((count - n) / count) * YEAR_DAYS * DAY_MS);
  const threads = new Map<Channel, { thread: Channel; left: number }>();
  /** Each thread has the next messages that its channel would have in threads, and is archived after days. */
  const placeOf = (channel: Channel, n: number): Channel => {
    if (random.next() > IN_THREADS) return channel;
    const open = threads.get(channel);
    if (open && open.left > 0) {
      open.left -= 1;
      open.thread.thread!.archiveChangedAtMs = timeOf(n) + ARCHIVED_AFTER_MS;
      open.thread.thread!.archived = timeOf(n) + ARCHIVED_AFTER_MS < now;
      return open.thread;
    }
    const thread = createChannel(world, {
      id: world.snowflake(timeOf(n) - 1),
      type: ChannelType.PublicThread,
      guildId: channel.guildId,
      parentId: channel.id,
      name: `thread ${n}`,
      thread: {
        ownerId: people[0]!,
        archived: timeOf(n) + ARCHIVED_AFTER_MS < now,
        locked: false,
        autoArchiveMinutes: ARCHIVED_AFTER_MS / 60_000,
        createdAtMs: timeOf(n) - 1,
        archiveChangedAtMs: timeOf(n) + ARCHIVED_AFTER_MS,
        memberIds: new Set(),
        invitable: true,
        pinned: false,
      },
    });
    threads.set(channel, { thread, left: PER_THREAD - 1 });
    return thread;
  };
  const perDay = count / YEAR_DAYS;
  const isOfWeek = (n: number) => n > count - perDay * 8;
  const bestAt = new Set(
    Array.from({ length: BEST }, (_, n) => Math.floor(count - perDay * (0.5 + n * 0.5))),
  );
  const best: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const channel = placeOf(channels[n % channels.length]!, n);
    const isBest = bestAt.has(n);
    const link = `https://pages.example/${n}`;
    const hasLink = isBest || random.next() < WITH_LINKS;
    const authorId = random.pick(people);
    const content = hasLink ? link : 'Good morning';
    const message = createMessage(world, channel, {
      id: world.snowflake(timeOf(n)),
      authorId,
      content,
    });
    if (!hasLink || (!isBest && random.next() > WITH_REACTIONS)) continue;
    const others = people.filter((person) => person !== authorId);
    const ups = isBest
      ? BEST_VOTES - best.length
      : random.below(isOfWeek(n) ? OTHERS_VOTES : MEMBERS);
    const react = (member: string, name: string) =>
      addReaction(world, channel, message, member, { id: null, name }, false);
    for (const voter of others.slice(0, ups)) react(voter, '👍');
    if (!isBest) continue;
    // The poster's own does not count, nor does one who shows both.
    react(authorId, '👍');
    react(others[0]!, '👎');
    best.unshift(`${link} ${ups}`);
  }
  return { best: best.toSorted((a, b) => votesOf(b) - votesOf(a)), people };
}

function votesOf(item: string): number {
  return Number(item.split(' ')[1]);
}
