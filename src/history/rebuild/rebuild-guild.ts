import type { APIMessage, Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { fitGuildMark, fitGuildSpan, startGuildMark } from '../../articles/guild-mark.ts';
import {
  beginRebuild,
  finishRebuild,
  noteProgress,
  type Progress,
  readRebuildState,
  readUnread,
  writeScanned,
  writeUnread,
  type RebuildStep,
} from './stored-rebuilds.ts';
import { FINAL_AFTER_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { type HeldLease, withLease } from '../../redis/lease.ts';
import { groupsOf } from '../../discord/access/visibility.ts';
import {
  groupOfUnread,
  findChannels,
  type UnreadChannel,
  unreadChannelOf,
} from '../walk/channels.ts';
import { type Walk, walkHistory } from '../walk/walk-history.ts';
import { recountArticlesInVoting } from '../../votes/recount/recount-guild.ts';
import { lacksImports, noteReports, offerLost } from '../import/lost-imports.ts';
import { type TakenIn, takeInMessage } from '../take-in-message.ts';
import type { RecountNeeds } from '../../votes/recount-needs.ts';

type RebuildOutcome =
  | { status: 'finished'; articles: number; unread: UnreadChannel[] }
  /** Another process runs the rebuild, or Redis was emptied, and all is to be read again. */
  | { status: 'held' }
  /** Another process finished it meanwhile. */
  | { status: 'unneeded' };

export type RebuildOptions = {
  /** Does nothing if the ranking is complete. */
  unlessComplete?: boolean;
  /** Only these groups, which could not be read before. */
  only?: readonly Snowflake[];
  onStep?: (step: RebuildStep) => void;
};

/** The number of channels that are read in parallel, each within its own rate limit. */
const SIDE_BY_SIDE = 4;

/**
 * Rebuilds a guild's ranking from its messages: first from those whose tallies are not final, then from
 * older ones. The first process that asks runs it, and continues where another one stopped.
 */
export async function rebuildGuild(
  needs: RecountNeeds,
  guild: Guild,
  options: RebuildOptions,
): Promise<RebuildOutcome> {
  const work = { guild: guild.id, work: 'rebuild' };
  return withLease<RebuildOutcome>(needs, work, (held) =>
    rebuildUnder(needs, guild, held, options),
  );
}

/** The same for who has the lease. */
export async function rebuildUnder(
  needs: RecountNeeds,
  guild: Guild,
  held: HeldLease,
  options: RebuildOptions,
): Promise<Exclude<RebuildOutcome, { status: 'held' }>> {
  const { store, clock } = needs;
  const { id } = guild;
  const state = await readRebuildState(store, id);
  if (options.unlessComplete && state.complete && !state.begun) return { status: 'unneeded' };
  // The mark is not in the messages, and new scores need it.
  await startGuildMark(needs, guild);
  const begun = await beginRebuild(store, id, clock.now(), options.only ?? null);
  // Without the key `complete`, all groups must be read, not only the given ones.
  const progress = state.complete ? begun : { ...begun, only: null };
  // What was imported is in members' messages, and a rebuild reads the bot's own.
  const lacks = !state.complete && (await lacksImports(needs, id));
  const unread = await readAll({
    needs,
    guild,
    held,
    progress,
    isFirst: !state.complete,
    lacks,
    ...options,
  });
  if (progress.only === null) await writeScanned(store, id, progress.sinceMs);
  // Nor is the span, and both go by what was found. The nights moved a mark by steps, which is lost here.
  if (state.complete) await fitGuildSpan(needs, guild);
  else await fitGuildMark(needs, guild, 'at once');
  await finishRebuild(store, id, held, progress);
  needs.ranking.onPlanned(id, 0);
  if (lacks) await offerLost(needs, id);
  needs.ranking.changes.note(id);
  return { status: 'finished', articles: progress.articles, unread };
}

type Run = {
  needs: RecountNeeds;
  guild: Guild;
  held: HeldLease;
  progress: Progress;
  /** The ranking was never whole, or keys of it were lost. */
  isFirst: boolean;
  /** Redis knows of no import, so reports of imports are noted. */
  lacks: boolean;
  onStep?: (step: RebuildStep) => void;
};

/** Reads everything that the bot may read. Returns what could not be read. */
async function readAll(run: Run): Promise<UnreadChannel[]> {
  const { needs, guild, progress } = run;
  const groups = groupsOf(guild).filter(({ id }) => progress.only?.includes(id) !== false);
  const read = new Set(groups.map(({ id }) => id));
  const unread = new Set<UnreadChannel>();
  // What was not read before, and is not read now either.
  for (const toRead of await readUnread(needs.store, guild.id)) {
    if (!read.has(groupOfUnread(toRead))) unread.add(toRead);
  }
  for (const phase of ['recent', 'older'] as const) {
    for (const toRead of await readPhase(run, phase, groups)) unread.add(toRead);
  }
  const left = [...unread].filter((toRead) => {
    const group = groupOfUnread(toRead);
    // A channel that was deleted meanwhile has nothing to read, and a group stands for its threads.
    return guild.channels.cache.has(group) && (group === toRead || !unread.has(group));
  });
  await writeUnread(needs.store, guild.id, left);
  return left.filter((toRead) => read.has(groupOfUnread(toRead)));
}

/** Reads the newest messages, or those that are older. Returns what could not be read. */
async function readPhase(
  { needs, guild, progress, held, isFirst, lacks, onStep }: Run,
  phase: RebuildStep['phase'],
  groups: readonly NonThreadGuildBasedChannel[],
): Promise<UnreadChannel[]> {
  const isRecent = phase === 'recent';
  const fromMs = isRecent ? progress.sinceMs - FINAL_AFTER_MS : beginningOf(needs, guild);
  const { channels, unread } = await findChannels(
    needs.requests,
    guild,
    groups,
    isRecent ? fromMs : 0,
  );
  let done = 0;
  const tell = () =>
    onStep?.({ phase, done, channels: channels.length, articles: progress.articles });
  tell();
  const walk: Walk = {
    requests: needs.requests,
    range: { fromMs },
    sideBySide: SIDE_BY_SIDE,
    cursors: progress.cursors,
    signal: held.signal,
    async handle(messages) {
      if (lacks) await noteReports(needs, guild.id, messages);
      const taken = await takeInMessages(needs, guild, messages, 'open');
      // Several channels are read at once: add only after the wait, or one sum overwrites another.
      progress.articles += taken.length;
    },
    onBroken(messages) {
      needs.log.warn({ guild: guild.id, messages }, 'A rebuild cannot read some messages.');
    },
    async note(channel, cursor) {
      await noteProgress(needs.store, guild.id, held, progress, { [channel]: cursor });
      tell();
    },
    onChannel(count) {
      done = count;
      tell();
    },
  };
  const refused = await walkHistory(walk, channels);
  const failed = refused.find((each) => each.why === 'failed');
  // Then nothing is known of the guild yet. One channel that fails is read again later, as a refused one is.
  if (failed && isFirst && refused.length >= channels.length) throw failed.error;
  return [...unread, ...refused.map(({ channel, group }) => unreadChannelOf(group.id, channel))];
}

/** The time before which the bot cannot have a message in the guild. */
function beginningOf({ ranking, self }: RecountNeeds, { joinedTimestamp }: Guild): number {
  return Math.min(
    snowflakeTimeMs(ranking.applicationId),
    snowflakeTimeMs(self),
    joinedTimestamp || Number.POSITIVE_INFINITY,
  );
}

/**
 * Puts the articles of these messages into the ranking, with the votes of all open articles or only of
 * those that were missing. Articles are written first, so that a vote in between finds its article.
 */
export async function takeInMessages(
  needs: RecountNeeds,
  guild: Guild,
  messages: readonly APIMessage[],
  recounted: 'open' | 'taken',
): Promise<TakenIn[]> {
  const all = await Promise.all(messages.map((message) => takeInMessage(needs, guild, message)));
  const taken = all.filter((each) => each !== null);
  const open = taken.filter(
    (each) => each.open && (recounted === 'open' || each.status === 'taken'),
  );
  // If votes cannot be read, the next recount repairs them, since the counts differ.
  await recountArticlesInVoting(needs, guild.id, { articles: open.map(({ article }) => article) });
  return taken;
}
