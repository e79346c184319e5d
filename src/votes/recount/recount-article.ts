import type { APIMessage } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { remember } from '../../discord/remember.ts';
import { erasedAmong } from '../../community/erasures.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { clearReactions } from '../../ranking/ballots/votes.ts';
import type { ConcurrentEvents } from '../events/concurrent-votes.ts';
import { readVoters, type Voter } from '../../ranking/ballots/voters.ts';
import { nullIfWrongType } from '../../redis/errors.ts';
import { countsOf, shownBy } from './counts.ts';
import { Incomplete, readReactors } from './lists.ts';
import { readMessage } from './messages.ts';
import { difference, type Reactors, writeRepairs } from './repairs.ts';
import type { Report } from './report.ts';
import type { App, RecountParts } from '../../app.ts';

/** Articles with reactions that do not count. Older ones are found by the next recount alone. */
const REMEMBERED_AT_MOST = 10_000;

/**
 * Makes the votes of one article equal to Discord's reactions. Votes of members who vote meanwhile
 * are not changed, and a clear of reactions stops it. Throws if something could not be read; then
 * nothing was written. `events`: those since the message was requested. After one of them the message is
 * requested again: by its counts, a list with the first vote would be empty and not be read.
 */
export async function recountArticle(
  app: RecountParts,
  guild: Snowflake,
  article: Article,
  {
    message,
    events,
    report,
  }: { message: APIMessage; events: ConcurrentEvents | undefined; report: Report },
): Promise<void> {
  const concurrent = app.concurrentVotes.begin(article.id);
  try {
    const isOld = events === undefined || events.cleared || events.members.size > 0;
    const current = isOld ? await readMessage(app, guild, article.channel, article.id) : message;
    if (current === null) throw new Incomplete('The message is gone.');
    const reading = await readReactors(app, guild, article, current);
    const stored = await readTally(app, guild, article, concurrent);
    const known = stored ?? new Map<Snowflake, Voter>();
    const reactors = await withoutLeftOut(app, guild, reading.reactors, known, article);
    if (concurrent.cleared || !mayReadArticle(app, guild, article)) {
      throw new Incomplete('What was read does not count any more.');
    }
    if (stored === null) await clearBroken(app, guild, article, concurrent);
    report.read += 1;
    const repairs = difference(reactors, known);
    // They have no vote until they take one of the two back.
    const hasUndecided = [...reactors.up].some((one) => reactors.down.has(one) && !known.has(one));
    const complete = await writeRepairs(app, guild, article, {
      repairs,
      known,
      concurrent,
      report,
    });
    // After live votes, the counts and the lists are from different moments.
    const isOneMoment = !concurrent.cleared && concurrent.members.size === 0;
    if (hasUndecided && !isOneMoment) {
      // Until the next reading, each reaction that is taken back here makes the lists be read.
      remember(app.uncounted, article.id, { up: 1, down: 1 }, REMEMBERED_AT_MOST);
      throw new Incomplete('A member shows both reactions, or took one back meanwhile.');
    }
    if (!complete || !isOneMoment) return;
    const counts = countsOf(reading.message);
    const shown = shownBy(known.values());
    const above = { up: counts.up - shown.up, down: counts.down - shown.down };
    app.uncounted.delete(article.id);
    if (above.up !== 0 || above.down !== 0) {
      remember(app.uncounted, article.id, above, REMEMBERED_AT_MOST);
    }
  } finally {
    concurrent.end();
  }
}

/**
 * The voters that Redis knows; null if the votes in the article's row are not theirs, as after a write
 * that Redis broke off.
 */
async function readTally(
  { ranking }: Pick<App, 'ranking'>,
  guild: Snowflake,
  { id }: Article,
  concurrent: ConcurrentEvents,
): Promise<Map<Snowflake, Voter> | null> {
  const voters = await readVoters(ranking, guild, id).catch(nullIfWrongType);
  if (voters === null) return null;
  const row = await readArticle(ranking, guild, id);
  // A vote between the two reads is in one of them alone.
  if (row === null || concurrent.cleared || concurrent.members.size > 0) return voters;
  const votes = [...voters.values()].map(({ vote }) => vote);
  const up = 1 + votes.filter((vote) => vote === 'up').length;
  return row.up === up && row.down === votes.length + 1 - up ? voters : null;
}

/**
 * Removes all votes of an article whose voters and tally do not fit. Throws if somebody voted meanwhile,
 * since that vote would be lost.
 */
async function clearBroken(
  app: Pick<App, 'ranking' | 'clock' | 'log'>,
  guild: Snowflake,
  article: Article,
  concurrent: ConcurrentEvents,
): Promise<void> {
  // No await between this and the write, which the connection sends before any later vote.
  if (concurrent.members.size > 0) throw new Incomplete('Somebody voted meanwhile.');
  const now = Math.min(app.clock.now(), article.closesAtMs - 1);
  const { status } = await clearReactions(app.ranking, { guild, article: article.id }, now);
  // Closing deletes the voters, and the result stays.
  if (status === 'locked' || status === 'closed') {
    throw new Incomplete(`The voters cannot be repaired: the article is ${status}.`);
  }
  app.log.warn({ guild, article: article.id }, 'The stored votes of an article were damaged.');
}

/** Leaves out members who opted out or erased their votes. Votes given after the erasure are known. */
export async function withoutLeftOut(
  { rules, store }: Pick<App, 'store' | 'rules'>,
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
  { client }: Pick<App, 'client'>,
  guild: Snowflake,
  { channel, home }: Article,
): boolean {
  const channels = client.guilds.cache.get(guild)?.channels.cache;
  const container = channels?.get(channel) ?? channels?.get(home);
  return container !== undefined && mayReadHistory(container);
}
