import { setTimeout as pause } from 'node:timers/promises';
import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { fitGuildMark } from '../../articles/guild-mark.ts';
import { isGroup } from '../../community/guild-rules.ts';
import { writeToLogChannel } from '../../community/admin-messages.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import { deleteArticle, readArticle } from '../../ranking/articles/articles.ts';
import { setResult } from '../../ranking/articles/closing.ts';
import { isFaultOfRedis } from '../../redis/errors.ts';
import { type HeldLease, withLease } from '../../redis/lease.ts';
import { limits } from '../../discord/limits.ts';
import { isOfOneChannel } from '../../discord/requests/refusals.ts';
import { DAY_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { fault } from '../../runtime/log.ts';
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
import { importMessage } from './import-message.ts';
import type { ImportNeeds } from './import-needs.ts';
import {
  BEST,
  bestArticles,
  bestFirst,
  endLines,
  type ImportMessage,
  openImportMessage,
} from './import-report.ts';
import {
  correctVotes,
  LAST_TRY,
  OF_LAST_WEEK,
  readImportedVotes,
  seeReactions,
} from './imported-votes.ts';
import { countMessages } from './link-counts.ts';
import {
  countMade,
  countVotes,
  type Fate,
  forgetMade,
  isUnderWay,
  readPhase,
  type ImportState,
  noteImport,
  readImport,
  setPhase,
  waitingVotes,
  walkMade,
} from './stored-imports.ts';

/** How a call of `runImport` ended. */
type ImportOutcome =
  /** It is over, paused, or undone: the phase says which. */
  | { status: 'ended'; phase: ImportState['phase'] }
  /** The bot may read none of its channels. It is tried again each minute. */
  | { status: 'unreadable' }
  /** Another process runs it, the guild's ranking is not rebuilt yet, or no import is under way. */
  | { status: 'held' };

/** Each channel has a rate limit of its own. */
const SIDE_BY_SIDE = 4;
/** How soon lists that came into the queue are read. */
const LOOK_AGAIN_MS = 1000;
/** A channel that Discord fails to show for so long is left out and named in the report. */
const FAULTS_PASS_WITHIN_MS = 30 * MINUTE_MS;
/** What was posted last is of use first: all channels are read back to each of these, then to the next. */
const PASSES_MS = [7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS, 365 * DAY_MS];

/**
 * Continues the imports of all guilds: those whose process ended, and those that wait for a permission.
 * Call it at the start and once a minute.
 */
export async function continueImports(needs: ImportNeeds): Promise<void> {
  const { client, store, log, stopping, hold } = needs;
  if (stopping.aborted || !needs.messageContent) return;
  const guilds = client.guilds.cache.filter(({ available }) => available);
  const ids = [...guilds.keys()];
  const [imports, votes] = await Promise.all([
    amongGuilds(needs, ids, async (id) => isUnderWay(await readPhase(store, id))),
    amongGuilds(needs, ids, async (id) => (await countVotes(store, id)) > 0),
  ]);
  const inPeace = (guild: Snowflake, work: Promise<unknown>): void =>
    hold(
      work.catch((error: unknown) => {
        if (stopping.aborted) return;
        log.warn({ ...fault(error), guild }, 'An import is tried again in a minute.');
      }),
    );
  for (const id of imports) inPeace(id, runImport(needs, guilds.get(id)!));
  for (const id of votes) inPeace(id, correctAllVotes(needs, guilds.get(id)!));
}

/** The guilds of which this holds. One whose data cannot be read is checked, and stops no other. */
async function amongGuilds(
  { ranking }: ImportNeeds,
  guilds: readonly Snowflake[],
  holds: (guild: Snowflake) => Promise<boolean>,
): Promise<Snowflake[]> {
  const found = await Promise.all(
    guilds.map((guild) =>
      holds(guild).catch((error: unknown) => {
        if (!isFaultOfRedis(error)) throw error;
        ranking.suspects.add(guild);
        return false;
      }),
    ),
  );
  return guilds.filter((_, i) => found[i]);
}

/**
 * Continues the guild's import where it stands, until its end. The first process that asks runs it. Each
 * message becomes at most one article, however often it is read: the article has the message's id, and a
 * link belongs to the first message that has it.
 */
export async function runImport(needs: ImportNeeds, guild: Guild): Promise<ImportOutcome> {
  const outcome = await runOnce(needs, guild);
  if (outcome.status !== 'ended') return outcome;
  // Who resumed or undid it in its last moment found the lease held.
  if (isUnderWay(await readPhase(needs.store, guild.id))) return runImport(needs, guild);
  // Lists that are not read yet can take long. After a fault, the next minute goes on with them.
  if (outcome.phase !== 'paused') needs.hold(correctAllVotes(needs, guild).catch(() => {}));
  return outcome;
}

async function runOnce(needs: ImportNeeds, guild: Guild): Promise<ImportOutcome> {
  const work = { guild: guild.id, work: 'import' };
  return withLease<ImportOutcome>(needs, work, async (held) => {
    const { store } = needs;
    const state = await readImport(store, guild.id);
    const run = state === null ? null : openRun(needs, guild, held, state);
    if (run?.state.phase === 'undoing') return undo(run);
    // Duplicates can be recognized only if the ranking is complete.
    const isComplete = await needs.isComplete(guild.id);
    const isToRun = run?.state.phase === 'running' || run?.state.phase === 'stopping';
    return run && isToRun && isComplete ? goOn(run) : { status: 'held' };
  });
}

type Run = {
  needs: ImportNeeds;
  guild: Guild;
  held: HeldLease;
  state: ImportState;
  message: ImportMessage;
  /** All messages of the last week are read, but for those in archived threads. */
  isWeekRead: boolean;
  /** Stores the state. Throws `Interrupted` if somebody paused or stopped the import. */
  note(cursor?: Record<Snowflake, string>): Promise<void>;
};

class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

function openRun(needs: ImportNeeds, guild: Guild, held: HeldLease, state: ImportState): Run {
  const keep = async (cursor?: Record<Snowflake, string>): Promise<void> => {
    state.phase = await noteImport(needs.store, guild.id, held, state, cursor);
  };
  const before = state.phase;
  return {
    needs,
    guild,
    held,
    state,
    message: openImportMessage(needs, guild.id, state, () => keep()),
    isWeekRead: false,
    async note(cursor) {
      await keep(cursor);
      if (state.phase !== before) throw new Interrupted('Somebody paused or stopped the import.');
    },
  };
}

async function goOn(run: Run): Promise<ImportOutcome> {
  const { needs, guild, state, message } = run;
  if (state.phase === 'stopping') return end(run, 'stopped');
  const { settings } = await needs.rules.read(guild.id);
  const groups = state.plan.channels.flatMap((id) => {
    const channel = guild.channels.cache.get(id);
    // An admin may have taken it out of the groups since.
    return channel && isGroup(settings, id) ? (groupOf(channel) ?? []) : [];
  });
  const tell = async (isWaiting: boolean): Promise<void> => {
    const articles = await countMade(needs.store, guild.id);
    await message.progress({ articles, pace: null, isWaiting }, true);
  };
  // The lists of who reacted are read meanwhile, those that the front page shows first.
  const ended = new AbortController();
  const reading = readVotesBeside(run, ended.signal);
  try {
    const isRead = await readAll(run, groups);
    if (!isRead) {
      await tell(true);
      return { status: 'unreadable' };
    }
    await correctBest(run);
    return await end(run, 'finished');
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    if (state.phase !== 'paused') return await end(run, 'stopped');
    await tell(false);
    return { status: 'ended', phase: 'paused' };
  } finally {
    ended.abort();
    await reading;
  }
}

/** Fits what depends on the articles, and reports. A process that ends before is followed by one that does. */
async function end(run: Run, phase: 'finished' | 'stopped'): Promise<ImportOutcome> {
  const { needs, guild, held, state, message } = run;
  const { store } = needs;
  await fit(needs, guild);
  state.endedAtMs = needs.clock.now();
  state.phase = phase;
  await message.end();
  await noteImport(store, guild.id, held, state);
  await setPhase(store, guild.id, ['running', 'paused', 'stopping'], phase);
  const articles = await countMade(store, guild.id);
  const fields = { guild: guild.id, articles, ...state.counts, unread: state.unread };
  needs.log.info(fields, 'Links that were posted before are imported.');
  const votes = await countVotes(store, guild.id);
  await writeToLogChannel(needs, guild.id, (locale) => ({
    content: endLines(locale, state, { articles, votes }).join('\n').slice(0, limits.contentLength),
  }));
  return { status: 'ended', phase };
}

/**
 * Reads the history of the channels with their threads, the newest messages of all of them first. False if
 * the bot may read none of them.
 */
async function readAll(run: Run, groups: readonly NonThreadGuildBasedChannel[]): Promise<boolean> {
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
    range: { order: 'newest first', fromMs: plan.fromMs, untilMs: plan.untilMs },
    sideBySide: SIDE_BY_SIDE,
    cursors,
    signal,
    async handle(messages, toRead) {
      const page = messages.filter((one) => isWithin(plan.fromMs, one.id));
      const fates = await importPage(run, toRead, page);
      // Several channels are read at once: add only after the wait, or one sum overwrites another.
      for (const fate of fates) counts[fate] += 1;
      counts.messages += page.length;
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
): Promise<Fate[]> {
  // A message can be deleted before its turn: then the event finds no article to delete.
  const events = new Map(messages.map(({ id }) => [id, needs.seen.watch(id)]));
  const fates: Fate[] = [];
  try {
    for (const one of messages.toSorted((a, b) => compareIds(a.id, b.id))) {
      held.signal.throwIfAborted();
      seeReactions(one);
      fates.push(await importMessage(needs, group, one, events.get(one.id)!));
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

/**
 * Reads lists beside the walk, until the last week is read only those of its articles. A fault of theirs does
 * not stop the import: they are read later.
 */
async function readVotesBeside(run: Run, ended: AbortSignal): Promise<void> {
  const { needs, guild, held } = run;
  const signal = AbortSignal.any([ended, held.signal]);
  const least = () => (run.isWeekRead ? LAST_TRY : OF_LAST_WEEK);
  while (!signal.aborted) {
    await readImportedVotes(needs, guild.id, signal, { least }).catch((error: unknown) => {
      if (signal.aborted) return;
      needs.log.info({ ...fault(error), guild: guild.id }, 'Lists of an import are read later.');
    });
    await pause(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** The report shows the ten best, so their votes must be right: others may move up when theirs are. */
async function correctBest(run: Run): Promise<void> {
  while (!(await correctBestOf(run))) run.held.signal.throwIfAborted();
}

/** Articles that are read to find the ten best: corrected votes move an article down, rarely up. */
const CANDIDATES = 100;

/** False if so many articles moved down that others may be among the best now. */
async function correctBestOf({ needs, guild, held, state }: Run): Promise<boolean> {
  const { store, ranking } = needs;
  const read = await bestArticles(needs, guild.id, state.report.channel, CANDIDATES);
  let candidates = read.best;
  const last = candidates.length < CANDIDATES ? undefined : candidates.at(-1);
  for (;;) {
    held.signal.throwIfAborted();
    const best = candidates.slice(0, BEST);
    const lowest = best.at(-1);
    if (last && (!lowest || bestFirst(lowest, last) > 0)) return false;
    const ids = best.map(({ id }) => id);
    const [next] = await waitingVotes(store, guild.id, ids);
    if (next === undefined) return true;
    await correctVotes(needs, guild.id, next, LAST_TRY);
    const corrected = await readArticle(ranking, guild.id, next);
    candidates = candidates
      .flatMap((one) => (one.id === next ? (corrected ?? []) : one))
      .sort(bestFirst);
  }
}

/** Reads all lists that are left, and then fits the mark and shows the report as it is now. */
async function correctAllVotes(needs: ImportNeeds, guild: Guild): Promise<void> {
  const { store, stopping } = needs;
  const onEmpty = async () => {
    const state = await readImport(store, guild.id);
    if (state?.phase !== 'finished' && state?.phase !== 'stopped') return;
    await fit(needs, guild);
    await openImportMessage(needs, guild.id, state, async () => {}).again();
  };
  await readImportedVotes(needs, guild.id, stopping, { onEmpty });
}

/** Fits the mark and the span to what came, and gives each imported article its ★ by that mark. */
async function fit(needs: ImportNeeds, guild: Guild): Promise<void> {
  const { ranking, store } = needs;
  await fitGuildMark(needs, guild, 'at once');
  for await (const page of walkMade(store, guild.id)) {
    await Promise.all(page.map((article) => setResult(ranking, { guild: guild.id, article })));
  }
}

/** Takes the import's articles out again, as if it had never been. */
async function undo({ needs, guild, held, state, message }: Run): Promise<ImportOutcome> {
  const { ranking, store } = needs;
  for await (const page of walkMade(store, guild.id)) {
    held.signal.throwIfAborted();
    await Promise.all(page.map((article) => deleteArticle(ranking, guild.id, article)));
    await forgetMade(store, guild.id, page);
  }
  await fitGuildMark(needs, guild, 'at once');
  await setPhase(store, guild.id, ['undoing'], 'undone');
  state.phase = 'undone';
  await message.again();
  needs.log.info({ guild: guild.id }, 'An import was undone.');
  return { status: 'ended', phase: 'undone' };
}
