import type { APIMessage } from 'discord.js';
import type { App } from '../app.ts';
import { mayReadHistory } from '../discord/access/permissions.ts';
import { erasedAmong } from '../records/opted-out.ts';
import type { Article } from '../ranking/articles/articles.ts';
import {
  NO_HIDDEN_REACTIONS,
  readHiddenReactions,
  writeHiddenReactions,
} from '../ranking/ballots/hidden-reactions.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { clearReactions } from '../ranking/ballots/votes.ts';
import type { ConcurrentEvents } from '../voting/concurrent-votes.ts';
import { readVoters, type Voter } from '../ranking/ballots/voters.ts';
import { countsOf, directions, shownBy } from './reactions/counts.ts';
import { difference, type Reactors } from './reactions/difference.ts';
import { Incomplete, readReactors } from './reactions/lists.ts';
import { writeRepairs } from './reactions/repairs.ts';
import type { Report } from './report.ts';

type Options = {
  message: APIMessage;
  /** The directions whose lists are read. The other is read only if a difference concerns it. */
  wanted: readonly Direction[];
  /** The voters are not the votes in the row, so all of them are written anew. Wants both directions. */
  broken?: boolean;
  report: Report;
};

/**
 * Makes the votes of one article equal to Discord's reactions. Votes of members who vote meanwhile
 * are not changed, and a clear of reactions stops it. Throws if something could not be read; then
 * nothing was written.
 */
export async function recountArticle(
  app: App,
  guild: Snowflake,
  article: Article,
  { message, wanted, broken, report }: Options,
): Promise<void> {
  const concurrent = app.concurrentVotes.begin(article.id);
  try {
    // Read it here: the previous recount may have changed it while this one waited.
    const [offset = NO_HIDDEN_REACTIONS] = await readHiddenReactions(app.ranking, guild, [
      article.id,
    ]);
    let reading = await readReactors(app, guild, article, message, wanted);
    let known = broken ? new Map() : await readVoters(app.ranking, guild, article.id);
    reading.reactors = await withoutLeftOut(app, guild, reading.reactors, known, article);
    let read = wanted;
    if (read.length < directions.length && concernsBoth(reading.reactors, known)) {
      const rest = directions.filter((direction) => !wanted.includes(direction));
      const { reactors } = reading;
      reading = await readReactors(app, guild, article, reading.message, rest);
      reading.reactors = { ...reactors, ...reading.reactors };
      known = await readVoters(app.ranking, guild, article.id);
      reading.reactors = await withoutLeftOut(app, guild, reading.reactors, known, article);
      read = directions;
    }
    if (concurrent.cleared || !mayReadArticle(app, guild, article)) {
      throw new Incomplete('What was read does not count any more.');
    }
    if (broken === true) {
      known = await clearBroken(app, guild, article, concurrent);
    }
    report.read += 1;
    const repairs = difference(reading.reactors, known);
    const complete = await writeRepairs(app, guild, article, {
      repairs,
      known,
      concurrent,
      report,
    });
    // After live votes, the counts and the lists are from different moments.
    if (!complete || concurrent.cleared || concurrent.members.size > 0) return;
    const counts = countsOf(reading.message);
    const shown = shownBy(known.values());
    const above = (direction: Direction) =>
      read.includes(direction) ? counts[direction] - shown[direction] : offset[direction];
    await writeHiddenReactions(app.ranking, guild, article.id, {
      up: above('up'),
      down: above('down'),
      readAtMs: read.length === directions.length ? app.clock.now() : offset.readAtMs,
    });
  } finally {
    concurrent.end();
  }
}

/**
 * Removes all votes of an article, whose voters and tally do not fit, and returns that nobody votes.
 * Throws if somebody voted meanwhile, since that vote would be lost.
 */
async function clearBroken(
  app: App,
  guild: Snowflake,
  article: Article,
  concurrent: ConcurrentEvents,
): Promise<Map<Snowflake, Voter>> {
  // No await between this and the write, which the connection sends before any later vote.
  if (concurrent.members.size > 0) throw new Incomplete('Somebody voted meanwhile.');
  const now = Math.min(app.clock.now(), article.closesAtMs - 1);
  const { status } = await clearReactions(app.ranking, { guild, article: article.id }, now);
  if (status === 'locked')
    throw new Incomplete('The voters cannot be repaired while it is locked.');
  app.log.warn({ guild, article: article.id }, 'The stored votes of an article were damaged.');
  return new Map();
}

/** Leaves out members who opted out or erased their votes. Votes given after the erasure count. */
async function withoutLeftOut(
  { rules, store }: App,
  guild: Snowflake,
  reactors: Reactors,
  known: ReadonlyMap<Snowflake, Voter>,
  { postedAtMs }: Article,
): Promise<Reactors> {
  const { optedOut } = await rules.read(guild);
  const members = Object.values(reactors).flatMap((some) => [...some]);
  const isNew = (member: Snowflake) => !known.has(member);
  const erased = await erasedAmong(store, guild, members.filter(isNew));
  if (optedOut.size + erased.size === 0) return reactors;
  const stays = (member: Snowflake) =>
    !optedOut.has(member) && ((erased.get(member) ?? 0) <= postedAtMs || known.has(member));
  return Object.fromEntries(
    Object.entries(reactors).map(([direction, members]) => [
      direction,
      new Set([...members].filter(stays)),
    ]),
  );
}

/**
 * Whether a member shows or showed both reactions. Then the other list may have changed although its
 * count is equal, and the tally would be wrong.
 */
function concernsBoth(reactors: Reactors, known: ReadonlyMap<Snowflake, Voter>): boolean {
  return difference(reactors, known).some(
    ({ member, older }) => older || known.get(member)?.older === true,
  );
}

/** Whether the bot may read the article's message, as far as its cache shows. */
export function mayReadArticle(
  { client }: App,
  guild: Snowflake,
  { channel, home }: Article,
): boolean {
  const channels = client.guilds.cache.get(guild)?.channels.cache;
  const place = channels?.get(channel) ?? channels?.get(home);
  return place !== undefined && mayReadHistory(place);
}
