import type { APIMessage, Client } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { doVotesWait } from '../../community/dead-references.ts';
import { erasedAmong } from '../../community/erasures.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { clearReactions, opposite } from '../../ranking/ballots/votes.ts';
import type { Watch } from '../seen-reactions.ts';
import { readVoters, type Voter } from '../../ranking/ballots/voters.ts';
import { nullIfWrongType } from '../../redis/errors.ts';
import { countsOf, directions, shownBy } from './counts.ts';
import { Incomplete, readReactors, type Reading } from './lists.ts';
import { sourceOf } from '../sources.ts';
import { readMessage } from './messages.ts';
import { difference, type Reactors, writeRepairs } from './repairs.ts';
import { isArchived } from './repair-message.ts';
import type { Report } from './report.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { GuildRules, Rules } from '../../community/guild-rules.ts';
import type { Store } from '../../redis/store.ts';

/** What a recount of one article came to. */
export type ArticleRecount =
  | 'done'
  /** Votes and what was read are from different moments: it must be read again, a moment later. */
  | 'unsettled'
  /** The message does not exist. */
  | 'gone';

/**
 * Makes the votes of one article equal to Discord's reactions. Votes of members who vote meanwhile
 * are not changed, and a clear of reactions stops it. Throws if something could not be read; then
 * nothing was written. `message`: with the events since it was requested. Without it, or after one of
 * those events, the message is requested: by old counts, a list with the first vote would be empty and
 * not be read.
 */
export async function recountArticle(
  needs: RecountNeeds,
  guild: Snowflake,
  article: Article,
  { message, watch: before, report }: Input,
): Promise<ArticleRecount> {
  const { id } = article;
  const { seen } = needs;
  const watch = seen.watch(id);
  try {
    const isCurrent = before !== undefined && !before.isCleared && before.members.size === 0;
    const current = isCurrent ? message : await readMessage(needs, guild, article.channel, id);
    if (current === null) return 'gone';
    const source = sourceOf(article, current);
    if (source !== null) needs.sources.note(source, id);
    const reading = await readReactors(needs, guild, article, current, source);
    if (reading === null) return 'unsettled';
    const stored = await readTally(needs, guild, article, watch);
    const known = stored ?? new Map<Snowflake, Voter>();
    const reactors = await withoutLeftOut(needs, guild, reading.reactors, known, article);
    if (watch.isCleared || !mayReadArticle(needs, guild, article)) {
      throw new Incomplete('What was read does not count any more.');
    }
    if (stored === null) await clearBroken(needs, guild, article, watch);
    report.read += 1;
    const unsettled = seen.unsettledMembers(id, reading.lists);
    const lastAdded = (member: Snowflake) => seen.lastAdded(id, member);
    const repairs = difference(reactors, known, lastAdded);
    // They have no vote until they take one of the two back.
    const hasUndecided = [...reactors.up].some(
      (one) => reactors.down.has(one) && !known.has(one) && lastAdded(one) === null,
    );
    const rules = await needs.rules.read(guild);
    const isWaiting = doVotesWait(needs, guild, rules);
    const complete = await writeRepairs(needs, guild, article, {
      repairs,
      known,
      watch,
      unsettled,
      isWaiting,
      report,
    });
    if (!isWaiting && !isArchived(needs, guild, article)) {
      takeUncountedAway(needs, guild, article, { ...reading, ...rules });
    }
    // After live votes, the counts and the lists are from different moments.
    const isOneMoment = !watch.isCleared && watch.members.size === 0 && unsettled.size === 0;
    if (hasUndecided && !isOneMoment) {
      // Until the next reading, each reaction that is taken back here makes the lists be read.
      seen.noteReading(id, { kind: 'undecided' });
      return 'unsettled';
    }
    if (isWaiting) seen.noteReading(id, { kind: 'waiting' });
    else if (complete && isOneMoment) {
      const counts = countsOf(reading.message, article.signs);
      const shown = shownBy(known.values());
      const above = { up: counts.up - shown.up, down: counts.down - shown.down };
      seen.noteReading(id, { kind: 'compared', above });
    }
    // Lists that lag behind a vote of before this session would have taken it away.
    const mayBeOfBefore = repairs.length > 0 && seen.hasJustBegun();
    const isSettled = unsettled.size === 0 && !seen.wasJustCleared(id) && !mayBeOfBefore;
    if (!isSettled) return 'unsettled';
    const repaired = new Set(repairs.map(({ member }) => member));
    takeOlderAway(needs, guild, article, { reactors, known, repaired });
    return 'done';
  } finally {
    watch.end();
  }
}

/**
 * Takes away the older of two reactions where an earlier look or event told already which one that is: it
 * stayed when the bot missed the switch, was stopped before its turn, or might not manage messages.
 */
function takeOlderAway(
  { takenAwayReactions }: Pick<RecountNeeds, 'takenAwayReactions'>,
  guild: Snowflake,
  { id, channel }: Article,
  of: {
    reactors: Reactors;
    known: ReadonlyMap<Snowflake, Voter>;
    repaired: ReadonlySet<Snowflake>;
  },
): void {
  for (const [member, { vote, older }] of of.known) {
    const showsBoth = of.reactors.up.has(member) && of.reactors.down.has(member);
    if (!older || !showsBoth || of.repaired.has(member)) continue;
    const direction = opposite(vote);
    const reaction = { guild, channel, article: id, member, direction };
    takenAwayReactions.takeAway({ ...reaction, isReplaced: true });
  }
}

/** Takes away what an event would have had taken away: the reactions of bots, the poster and who opted out. */
function takeUncountedAway(
  { takenAwayReactions }: Pick<RecountNeeds, 'takenAwayReactions'>,
  guild: Snowflake,
  { id, channel }: Article,
  {
    uncounted,
    reactors,
    optedOut,
  }: Pick<Reading, 'uncounted' | 'reactors'> & Pick<Rules, 'optedOut'>,
): void {
  const ofOptedOut = directions.flatMap((direction) =>
    [...reactors[direction]].flatMap((member) =>
      optedOut.has(member) ? [{ member, direction }] : [],
    ),
  );
  for (const reaction of [...uncounted, ...ofOptedOut]) {
    takenAwayReactions.takeAway({ guild, channel, article: id, ...reaction });
  }
}

type Input = {
  message: APIMessage | null;
  /** The events since the message was requested; undefined: not known. */
  watch: Watch | undefined;
  report: Report;
};

/**
 * The voters that Redis knows; null if the votes in the article's row are not theirs, as after a write
 * that Redis broke off.
 */
async function readTally(
  { ranking }: { ranking: Ranking },
  guild: Snowflake,
  { id }: Article,
  watch: Watch,
): Promise<Map<Snowflake, Voter> | null> {
  const voters = await readVoters(ranking, guild, id).catch(nullIfWrongType);
  if (voters === null) return null;
  const row = await readArticle(ranking, guild, id);
  // A vote between the two reads is in one of them alone.
  if (row === null || watch.isCleared || watch.members.size > 0) return voters;
  const votes = [...voters.values()].map(({ vote }) => vote);
  const up = 1 + votes.filter((vote) => vote === 'up').length;
  return row.up === up && row.down === votes.length + 1 - up ? voters : null;
}

/**
 * Removes all votes of an article whose voters and tally do not fit. Throws if somebody voted meanwhile,
 * since that vote would be lost.
 */
async function clearBroken(
  needs: { ranking: Ranking; clock: Clock; log: Log },
  guild: Snowflake,
  article: Article,
  watch: Watch,
): Promise<void> {
  // No await between this and the write, which the connection sends before any later vote.
  if (watch.members.size > 0) throw new Incomplete('Somebody voted meanwhile.');
  const now = Math.min(needs.clock.now(), article.closesAtMs - 1);
  const { status } = await clearReactions(needs.ranking, { guild, article: article.id }, now);
  // Closing deletes the voters, and the result stays.
  if (status === 'locked' || status === 'closed') {
    throw new Incomplete(`The voters cannot be repaired: the article is ${status}.`);
  }
  needs.log.warn({ guild, article: article.id }, 'The stored votes of an article were damaged.');
}

/** Leaves out members who opted out or erased their votes. Votes given after the erasure are known. */
export async function withoutLeftOut(
  { rules, store }: { store: Store; rules: GuildRules },
  guild: Snowflake,
  reactors: Reactors,
  known: ReadonlyMap<Snowflake, Voter>,
  { postedAtMs }: Pick<Article, 'postedAtMs'>,
): Promise<Reactors> {
  const { optedOut } = await rules.read(guild);
  const unknown = [...reactors.up, ...reactors.down].filter((member) => !known.has(member));
  const erased = await erasedAmong(store, guild, unknown, postedAtMs);
  const stays = (member: Snowflake) => !optedOut.has(member) && !erased.has(member);
  return {
    up: new Set([...reactors.up].filter(stays)),
    down: new Set([...reactors.down].filter(stays)),
  };
}

/** Whether the bot may read the article's message, as far as its cache shows. */
export function mayReadArticle(
  { client }: { client: Client },
  guild: Snowflake,
  { channel, home }: Article,
): boolean {
  const channels = client.guilds.cache.get(guild)?.channels.cache;
  const container = channels?.get(channel) ?? channels?.get(home);
  return container !== undefined && mayReadHistory(container);
}
