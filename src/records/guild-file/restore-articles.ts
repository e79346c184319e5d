import { readArticles } from '../../ranking/articles/articles.ts';
import { readMark } from '../../ranking/articles/mark.ts';
import { readRemoved } from '../../ranking/articles/removed.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';
import type { Direction } from '../../ranking/row.ts';
import { FINAL_AFTER_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { isNews, noteAnnounced } from '../digests/announced.ts';
import { putArticle } from '../../ranking/ballots/put-article.ts';
import { erasedAmong, erasingAmong, optedOutAmong } from '../opted-out.ts';
import type { ArticleLine } from './format.ts';
import type { LineFate, RestoreTarget } from './restore-records.ts';

/** What articles need to know of the guild and the file. */
export type ArticleTarget = RestoreTarget & {
  madeAtMs: number;
  /** Articles of another application are members' messages for this one. */
  isForeign: boolean;
  isComplete: boolean;
};

type Voters = NonNullable<ArticleLine['voters']>;

/** Articles are dated by Discord, and until its first answer our clock is the machine's. */
const CLOCKS_APART_MS = 600_000;
const NONE: Voters = { up: [], down: [] };

/** Puts articles that stand one after the other in the file. Returns the fate of each. */
export async function putArticles(
  target: ArticleTarget,
  lines: readonly ArticleLine[],
): Promise<LineFate[]> {
  const { store, ranking, guild, keys } = target;
  const ids = lines.map(({ id }) => id);
  const [present, removed, begun, leftOut, erasing] = await Promise.all([
    readArticles(ranking, guild, ids),
    Promise.all(ids.map((id) => readRemoved(ranking, guild, id))),
    store.redis.smismember(keys.restoring, ...ids),
    leftOutOf(target, lines),
    erasingAmong(store, guild, ids),
  ]);
  const fates = lines.map((line, i): LineFate => {
    if (removed[i] || (present[i] && begun[i] !== 1)) return 'kept';
    const isLeft = erasing.has(line.id) || leftOut.erased.has(line.poster);
    return isLeft || !isTaken(target, line) ? 'left' : 'put';
  });
  const wanted = lines.filter((_, i) => fates[i] === 'put');
  if (wanted.length > 0) await write(target, wanted, leftOut.voters);
  return fates;
}

/** The members in these lines whose data was erased since the file was made, and whose votes are left out. */
async function leftOutOf(
  { store, guild, madeAtMs }: ArticleTarget,
  lines: readonly ArticleLine[],
): Promise<{ erased: Set<Snowflake>; voters: Set<Snowflake> }> {
  const voted = lines.flatMap(({ voters = NONE }) => [...voters.up, ...voters.down]);
  const [times, optedOut] = await Promise.all([
    erasedAmong(store, guild, [...lines.map(({ poster }) => poster), ...voted]),
    optedOutAmong(store, guild, voted),
  ]);
  const later = [...times].filter(([, atMs]) => atMs > madeAtMs).map(([member]) => member);
  return { erased: new Set(later), voters: new Set([...later, ...optedOut]) };
}

function isTaken(target: ArticleTarget, { id, state, removedAtMs }: ArticleLine): boolean {
  const { now, isForeign, isComplete } = target;
  const postedAtMs = snowflakeTimeMs(id);
  if (postedAtMs > now + CLOCKS_APART_MS) return false;
  if (removedAtMs !== undefined) return !isForeign;
  // The article's message has the result, and the next rebuild reads it from there.
  const hasResult = now >= postedAtMs + FINAL_AFTER_MS;
  return isClosed(state) || !hasResult || isComplete;
}

async function write(
  target: ArticleTarget,
  lines: readonly ArticleLine[],
  leftOut: ReadonlySet<Snowflake>,
): Promise<void> {
  const { ranking, store, guild, keys, isForeign, now } = target;
  const { redis } = store;
  const inSteps = lines.filter((line) => !isClosed(line.state) || isRemoved(line));
  const restoring = inSteps.map(({ id }) => id);
  if (restoring.length > 0) await redis.sadd(keys.restoring, ...restoring);
  // Record this before the articles are visible, so that none is announced again.
  const mark = await readMark(ranking, guild);
  const told = lines.filter(({ up, id }) => up >= mark && isNews(id, now));
  const announced = told.map(({ id }) => id);
  await noteAnnounced(store, guild, announced);
  // Record these first, so that the bot never treats another application's messages as its own.
  if (isForeign) await redis.sadd(keys.imported, ...lines.map(({ id }) => id));
  // Put removed articles last: if a link was posted again, the article that is not removed keeps it.
  for (const some of [lines.filter((line) => !isRemoved(line)), lines.filter(isRemoved)]) {
    await Promise.all(some.map((line) => putOne(target, line, leftOut)));
  }
  if (restoring.length > 0) await redis.srem(keys.restoring, ...restoring);
}

async function putOne(
  { ranking, guild, isForeign }: ArticleTarget,
  line: ArticleLine,
  leftOut: ReadonlySet<Snowflake>,
): Promise<void> {
  const { kind: _, groups, thread, state, up, down, voters, ...plain } = line;
  const [home = '', ...others] = groups;
  const closed = isForeign || isClosed(state);
  await putArticle(ranking, {
    ...plain,
    guild,
    home,
    groups: others,
    channel: thread ?? home,
    ...(closed
      ? { tally: { up, down, closed, starred: state === 'starred' } }
      : { voters: votersOf(voters, leftOut), locked: state === 'locked' }),
  });
}

function votersOf({ up, down, both = [] }: Voters = NONE, leftOut: ReadonlySet<Snowflake>) {
  const older = new Set(both);
  const voted = (members: readonly string[], vote: Direction) =>
    members
      .filter((member) => !leftOut.has(member))
      .map((member): [string, Voter] => [member, { vote, older: older.has(member) }]);
  return new Map([...voted(up, 'up'), ...voted(down, 'down')]);
}

const isRemoved = ({ removedAtMs }: ArticleLine): boolean => removedAtMs !== undefined;

function isClosed(state: ArticleLine['state']): boolean {
  return state === 'closed' || state === 'starred';
}
