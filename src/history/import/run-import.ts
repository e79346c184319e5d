import { setTimeout as pause } from 'node:timers/promises';
import type { Guild } from 'discord.js';
import { fitGuildMark } from '../../articles/guild-mark.ts';
import { isGroup } from '../../community/guild-rules.ts';
import { writeToLogChannel } from '../../community/admin-messages.ts';
import { groupOf } from '../../discord/access/visibility.ts';
import { deleteArticle, readArticle } from '../../ranking/articles/articles.ts';
import { setResult } from '../../ranking/articles/closing.ts';
import { asLease, type Held, type Kind } from '../../due/kind.ts';
import type { HeldLease } from '../../redis/lease.ts';
import { limits } from '../../discord/limits.ts';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { fault } from '../../runtime/log.ts';
import type { ImportNeeds } from './import-needs.ts';
import {
  BEST,
  bestArticles,
  bestFirst,
  endLines,
  openImportMessage,
  shownState,
} from './import-report.ts';
import {
  correctVotes,
  LAST_TRY,
  OF_LAST_WEEK,
  readImportedVotes,
  readVotesUnder,
} from './imported-votes.ts';
import {
  countMade,
  countVotes,
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
import { Interrupted, openRun, type Run } from './import-run.ts';
import { importChannels } from './import-channels.ts';

/** How a try ended. */
type ImportOutcome =
  /** It is over, paused, or undone: the phase says which. */
  | { status: 'ended'; phase: ImportState['phase'] }
  /** The bot may read none of its channels. */
  | { status: 'unreadable' }
  /** The guild's ranking is not rebuilt yet, or no import is under way. */
  | { status: 'waits' };

/** How soon lists that came into the queue are read. */
const LOOK_AGAIN_MS = 1000;
/** What waits for a permission, or for a whole ranking, is tried this long after. */
const WAITS_MS = MINUTE_MS;
/** Those of one process that run side by side. */
const SIDE_BY_SIDE = 2;

/**
 * Continues a guild's import where it stands, until its end. Each message becomes at most one article, however often
 * it is read: the article has the message's id, and a link belongs to the first message that has it.
 */
export function importKind(needs: ImportNeeds): Kind {
  const { client, store, clock, due } = needs;
  return {
    name: 'import',
    sideBySide: SIDE_BY_SIDE,
    async standing(guild) {
      return isUnderWay(await readPhase(store, guild)) ? [{ row: 'import', atMs: 0 }] : [];
    },
    async run(held) {
      const guild = client.guilds.cache.get(held.guild);
      // It is planned again when the guild arrives.
      if (!guild?.available || !needs.messageContent) return { atMs: null };
      const outcome = await runImport(needs, guild, asLease(held));
      if (outcome.status === 'ended' && outcome.phase !== 'paused')
        await due.plan(guild.id, 'import-votes', 0);
      if (!isUnderWay(await readPhase(store, guild.id))) return { atMs: null };
      // Who resumes or undoes it in its last moment plans it for now.
      return { atMs: clock.now() + WAITS_MS };
    },
  };
}

/** Reads the lists that an import did not wait for, which can take long. */
export function importVotesKind(needs: ImportNeeds): Kind {
  const { client, store } = needs;
  return {
    name: 'import-votes',
    sideBySide: SIDE_BY_SIDE,
    async standing(guild) {
      return (await countVotes(store, guild)) > 0 ? [{ row: 'import-votes', atMs: 0 }] : [];
    },
    async run(held) {
      const guild = client.guilds.cache.get(held.guild);
      const isToRun = guild?.available === true && needs.messageContent;
      if (isToRun) await correctAllVotes(needs, guild, held);
      return { atMs: null };
    },
  };
}

/** One try of the import. Call it under its lease. */
export async function runImport(
  needs: ImportNeeds,
  guild: Guild,
  held: HeldLease,
): Promise<ImportOutcome> {
  const state = await readImport(needs.store, guild.id);
  const run = state === null ? null : openRun(needs, guild, held, state);
  if (run?.state.phase === 'undoing') return undo(run);
  // Duplicates can be recognized only if the ranking is complete.
  const isComplete = await needs.isComplete(guild.id);
  const isToRun = run?.state.phase === 'running' || run?.state.phase === 'stopping';
  return run && isToRun && isComplete ? goOn(run) : { status: 'waits' };
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
    const isRead = await importChannels(run, groups);
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
    content: endLines(locale, shownState(needs.client, guild.id, state), { articles, votes })
      .join('\n')
      .slice(0, limits.contentLength),
  }));
  return { status: 'ended', phase };
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
async function correctAllVotes(
  needs: ImportNeeds,
  guild: Guild,
  { notes, write, signal }: Held,
): Promise<void> {
  const { store } = needs;
  const isAnyLeft = (await countVotes(store, guild.id)) > 0;
  // Whoever goes on after the last list shows what it changed.
  if (isAnyLeft) await write({ corrected: 1 });
  else if (!notes.has('corrected')) return;
  await readVotesUnder(needs, guild.id, signal);
  const state = await readImport(store, guild.id);
  if (state?.phase !== 'finished' && state?.phase !== 'stopped') return;
  await fit(needs, guild);
  await openImportMessage(needs, guild.id, state, async () => {}).again();
  // It may have been undone while this was on its way, and shown so before.
  const now = await readImport(store, guild.id);
  const isUndone = now?.phase === 'undone' && now.begunAtMs === state.begunAtMs;
  if (isUndone) await openImportMessage(needs, guild.id, now, async () => {}).again();
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
