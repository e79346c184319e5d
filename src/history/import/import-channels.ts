import type { NonThreadGuildBasedChannel } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { isOfOneChannel } from '../../discord/requests/refusals.ts';
import { DAY_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { compareIds, type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import {
  findArchived,
  findPresent,
  type HistoryChannel,
  joined,
  threadToRead,
  unreadChannelOf,
} from '../walk/channels.ts';
import { type Cursors, END } from '../walk/stored-walk.ts';
import { type Unread, type Walk, walkHistory } from '../walk/walk-history.ts';
import { furtherLinks, importMessage } from './import-message.ts';
import { seeReactions } from './imported-votes.ts';
import { countMessages } from './link-counts.ts';
import { countMade, type Fate } from './stored-imports.ts';
import type { Run } from './import-run.ts';

/** Each channel has a rate limit of its own. */
const SIDE_BY_SIDE = 4;
/** A channel that Discord fails to show for so long is left out and named in the report. */
const FAULTS_PASS_WITHIN_MS = 30 * MINUTE_MS;
/** What was posted last is of use first: all channels are read back to each of these, then to the next. */
const PASSES_MS = [7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS, 365 * DAY_MS];

/**
 * Reads the history of the channels with their threads, the newest messages of all of them first. False if
 * the bot may read none of them.
 */
export async function importChannels(
  run: Run,
  groups: readonly NonThreadGuildBasedChannel[],
): Promise<boolean> {
  const { needs, guild, held, state, message } = run;
  const { plan, counts, cursors } = state;
  const { signal } = held;
  if (groups.length > 0 && !groups.some(mayReadHistory)) return false;
  const all = new Map<Snowflake, HistoryChannel>();
  const startedMs = performance.now();
  const startedWith = counts.messages;
  const tell = async (): Promise<void> => {
    const perSecond = ((counts.messages - startedWith) * 1000) / (performance.now() - startedMs);
    const left = state.expected === null ? null : Math.max(0, state.expected - counts.messages);
    const leftMs = left === null || perSecond === 0 ? null : (left / perSecond) * 1000;
    const articles = await countMade(needs.store, guild.id);
    await message.progress({ articles, pace: { perSecond, leftMs } });
  };
  if (state.expected === null) {
    const asked = countMessages(needs, guild.id, plan.channels, { fromMs: plan.fromMs });
    const keep = (found: Awaited<typeof asked>): void => {
      if (typeof found === 'number') state.expected = found;
    };
    needs.hold(asked.then(keep).catch(() => {}));
  }
  await message.progress({ articles: await countMade(needs.store, guild.id), pace: null });
  const walk: Walk = {
    requests: needs.requests,
    range: { fromMs: plan.fromMs, untilMs: plan.untilMs },
    sideBySide: SIDE_BY_SIDE,
    cursors,
    signal,
    async handle(messages, toRead) {
      const page = messages.filter((one) => isWithin(plan.fromMs, one.id));
      const fates = await importPage(run, toRead, page);
      // Several channels are read at once: add only after the wait, or one sum overwrites another.
      for (const { fate, further } of fates) {
        counts[fate] += 1;
        counts.further += further;
      }
      counts.messages += page.length;
    },
    onBroken(broken) {
      counts.unreadable += broken.length;
      counts.messages += broken.length;
      needs.log.warn({ guild: guild.id, messages: broken }, 'An import cannot read some messages.');
    },
    async note(channel, cursor) {
      await run.note({ [channel]: cursor });
      await tell();
    },
    async onMissedThread(thread) {
      await run.note({ [thread]: '' });
    },
    async onThread(toRead) {
      all.set(toRead.channel, toRead);
      // Only this message names it, and another process may go on.
      if (!cursors.has(toRead.channel)) await run.note({ [toRead.channel]: '' });
    },
  };
  const read = await readPasses(run, groups, { all, walk });
  const { refused } = read;
  const isFailing = read.hasFailed || [...refused.values()].some(({ why }) => why === 'failed');
  const isNothingRead = all.size > 0 && [...all.keys()].every((channel) => refused.has(channel));
  if (isFailing) await requirePatience(run, isNothingRead);
  // Then a permission is missing that somebody may give back.
  else if (isNothingRead) return false;
  state.failingSinceMs = null;
  state.unread = [
    ...read.unread,
    ...[...refused.values()].map(({ channel, group }) => unreadChannelOf(group.id, channel)),
  ];
  await run.note();
  return true;
}

/**
 * Reads the channels and threads pass by pass, and adds to `all` what it finds. The lists of archived threads
 * take a request a channel and more, so what was posted last comes before them. `hasFailed`: Discord fails to
 * show some threads.
 */
async function readPasses(
  run: Run,
  groups: readonly NonThreadGuildBasedChannel[],
  { all, walk }: { all: Map<Snowflake, HistoryChannel>; walk: Walk },
) {
  const { needs, guild, state } = run;
  const { plan } = state;
  const present = await findPresent(needs.requests, guild, groups);
  const take = (channels: readonly HistoryChannel[]): void => {
    for (const toRead of channels) if (!all.has(toRead.channel)) all.set(toRead.channel, toRead);
  };
  take(present.channels);
  const namedBefore = takeNamed(state.cursors);
  const refused = new Map<Snowflake, Unread>();
  const walkTo = async (fromMs: number): Promise<void> => {
    const range = { ...walk.range, fromMs };
    const isOfPass = ({ newestMs = fromMs }: HistoryChannel) =>
      newestMs >= fromMs || fromMs === plan.fromMs;
    const readable = [...all.values()].filter((one) => isOfPass(one) && !refused.has(one.channel));
    for (const unreadable of await walkHistory({ ...walk, range }, readable)) {
      refused.set(unreadable.channel, unreadable);
    }
  };
  const [firstMs = plan.fromMs, ...laterMs] = passesOf(plan, needs.clock.now());
  await walkTo(firstMs);
  run.isWeekRead = true;
  const archivedLast = await findArchived(needs.requests, groups, firstMs);
  take(archivedLast.channels);
  await walkTo(firstMs);
  const archived =
    laterMs.length > 0 ? await findArchived(needs.requests, groups, plan.fromMs) : archivedLast;
  take(archived.channels);
  const before = await foundBefore(run, namedBefore, all);
  take(before.found);
  for (const fromMs of [firstMs, ...laterMs]) await walkTo(fromMs);
  const { unread } = joined(present, archived);
  return { refused, unread, hasFailed: before.hasFailed };
}

/**
 * Throws while a fault of Discord is young, so that the next minute tries again. If nothing could be read, it
 * is tried until something can.
 */
async function requirePatience(run: Run, isNothingRead: boolean): Promise<void> {
  const { needs, state } = run;
  const now = needs.clock.now();
  state.failingSinceMs ??= now;
  await run.note();
  if (isNothingRead || now - state.failingSinceMs < FAULTS_PASS_WITHIN_MS) {
    throw new Error('Discord fails to show some channels of an import.');
  }
}

/** The ends of the passes, the last of which is the plan's own. */
function passesOf({ fromMs }: { fromMs: number }, now: number): number[] {
  return [...PASSES_MS.map((ms) => now - ms).filter((ms) => ms > fromMs), fromMs];
}

function isWithin(fromMs: number, id: Snowflake): boolean {
  return snowflakeTimeMs(id) >= fromMs;
}

/** The messages of a page, the oldest first, so that few articles give way to an earlier message. */
async function importPage(
  { needs, held }: Run,
  { group }: HistoryChannel,
  messages: Parameters<Walk['handle']>[0],
): Promise<{ fate: Fate; further: number }[]> {
  // A message can be deleted before its turn: then the event finds no article to delete.
  const events = new Map(messages.map(({ id }) => [id, needs.seen.watch(id)]));
  const fates: { fate: Fate; further: number }[] = [];
  try {
    for (const one of messages.toSorted((a, b) => compareIds(a.id, b.id))) {
      held.signal.throwIfAborted();
      seeReactions(one);
      const fate = await importMessage(needs, group, one, events.get(one.id)!);
      fates.push({ fate, further: fate === 'linked' ? furtherLinks(one) : 0 });
    }
  } finally {
    for (const one of events.values()) one.end();
  }
  return fates;
}

/**
 * Channels and threads that an earlier process did not read to their end. Some threads it knew from a message
 * alone, and had not begun with: an empty cursor says so, and gives way to none.
 */
function takeNamed(cursors: Cursors): Snowflake[] {
  const left = [...cursors].filter(([id, cursor]) => /^\d+$/.test(id) && cursor !== END);
  for (const [id, cursor] of left) if (cursor === '') cursors.delete(id);
  return left.map(([id]) => id);
}

/** Those of an earlier process that no list names. `hasFailed`: Discord fails to show some of them. */
async function foundBefore(
  { needs, guild }: Run,
  namedBefore: readonly Snowflake[],
  known: ReadonlyMap<Snowflake, HistoryChannel>,
): Promise<{ found: HistoryChannel[]; hasFailed: boolean }> {
  let hasFailed = false;
  const left = namedBefore.filter((id) => !known.has(id));
  const found = await Promise.all(
    left.map(async (id) => {
      try {
        return await threadToRead(needs.requests, guild, { id });
      } catch (error) {
        // It stays noted for the next time.
        if (!isOfOneChannel(error)) throw error;
        hasFailed = true;
        return null;
      }
    }),
  );
  return { found: found.filter((toRead) => toRead !== null), hasFailed };
}
