import { deleteArticle, readArticles } from '../../ranking/articles/articles.ts';
import { readMark } from '../../ranking/articles/mark.ts';
import { readRemovedOf } from '../../ranking/articles/removed.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';
import { restoreOutcome } from '../../ranking/outcomes.ts';
import type { Direction } from '../../ranking/row.ts';
import { FINAL_AFTER_MS } from '../../ranking/rules.ts';
import { parseSigns } from '../../ranking/vote-signs.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { isNews, noteAnnounced } from '../../articles/announced.ts';
import { putArticle } from '../../ranking/ballots/put-article.ts';
import { readFields } from '../../redis/scan.ts';
import { erasedAmong } from '../../community/erasures.ts';
import { optedOutAmong } from '../../community/opted-out.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import {
  type ArticleLine,
  type Header,
  type Kind,
  KINDS,
  type Line,
  type LineOf,
  MANY,
} from './format.ts';
import { noteRecords } from '../../community/lost-records.ts';
import { readRebuildState } from '../../history/rebuild/stored-rebuilds.ts';
import { duePosts } from '../../digests/run-due.ts';
import { type LineFate, putImported, putRecord, type RestoreTarget } from './restore-records.ts';

/** How many lines of each kind met which fate. */
export type Restored = Record<Kind, Record<LineFate, number>>;

export type RestoreOptions = {
  header: Header;
  /** The lines of a checked file. The caller checks that the file is of this guild. */
  lines: AsyncIterable<Line>;
  now: number;
  /** Returns the line as it may be stored in this guild, or null if it refers to something outside it. */
  check?: (line: Line) => Promise<Line | null>;
  onLine?: (lines: number) => void;
  /** Told which articles were put. */
  onPut?: (articles: readonly Snowflake[]) => void;
  /** Ends it before the next line. Started again, the restore goes on from there. */
  signal?: AbortSignal;
};

/** The weight of one step. */
const STEP = 500;

/** Lines of one kind that follow one another, as many as are put at once. */
async function* inSteps(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let step: Line[] = [];
  let weight = 0;
  for await (const line of lines) {
    if (step.length > 0 && (weight >= STEP || line.kind !== step[0]?.kind)) {
      yield step;
      step = [];
      weight = 0;
    }
    step.push(line);
    weight += weightOf(line);
  }
  if (step.length > 0) yield step;
}

function weightOf(line: Line): number {
  if (line.kind === 'article')
    return 5 + (line.voters?.up.length ?? 0) + (line.voters?.down.length ?? 0);
  // The others go one at a time, because each can change the fate of the next line.
  return MANY.has(line.kind) ? 1 : STEP;
}

/**
 * Restores the content of a guild's file, unless Discord or the stored data is newer. It can be
 * repeated or resumed: the result is the same. The bot keeps running meanwhile.
 */
export async function restoreGuild(
  { ranking, store }: { ranking: Ranking; store: Store },
  options: RestoreOptions,
): Promise<Restored> {
  const { header, now, check = (line: Line) => Promise.resolve(line) } = options;
  const { guild, application, madeAt } = header;
  const rebuild = await readRebuildState(store, guild);
  const target = {
    ranking,
    store,
    guild,
    keys: storeKeys(store, guild),
    now,
    madeAtMs: Date.parse(madeAt),
    isForeign: application !== store.applicationId,
    isComplete: rebuild.complete,
  };
  const fates = KINDS.map((kind) => [kind, { put: 0, unchanged: 0, left: 0 }]);
  const restored = Object.fromEntries(fates) as Restored;
  let count = 0;
  for await (const step of inSteps(options.lines)) {
    const checked: Line[] = [];
    for (const stored of step) {
      options.signal?.throwIfAborted();
      const line = await check(stored);
      if (line === null) restored[stored.kind].left += 1;
      else checked.push(line);
      options.onLine?.((count += 1));
    }
    const kind = step[0]!.kind;
    const fates = await put(target, checked);
    for (const fate of fates) restored[kind][fate] += 1;
    const isPut = (line: Line, at: number) => line.kind === 'article' && fates[at] === 'put';
    options.onPut?.(checked.filter(isPut).map((line) => (line as ArticleLine).id));
  }
  // Articles of another file's interrupted restore are no longer marked; a recount repairs their votes.
  await store.redis.del(target.keys.restoring);
  await noteRecords(store, guild);
  const due = (await duePosts(store, guild)).flatMap(({ row, atMs }) => [atMs, row]);
  if (due.length > 0) await store.redis.zadd(target.keys.due, ...due);
  ranking.onPlanned(guild, 0);
  // Every process keeps pages and lists of the guild.
  ranking.changes.note(guild);
  await ranking.changes.flush();
  return restored;
}

/** Lines of one kind. */
async function put(target: RestoreTarget, lines: readonly Line[]): Promise<LineFate[]> {
  const [first] = lines;
  if (first === undefined) return [];
  if (first.kind === 'article') return putArticles(target, lines as ArticleLine[]);
  if (first.kind === 'imported') return putImported(target, lines as LineOf<'imported'>[]);
  const putLine = putRecord[first.kind] as (target: RestoreTarget, line: Line) => Promise<LineFate>;
  return Promise.all(lines.map((line) => putLine(target, line)));
}

type Voters = NonNullable<ArticleLine['voters']>;

/** Articles are dated by Discord, and until its first answer our clock is the machine's. */
const CLOCKS_APART_MS = 600_000;
const NONE: Voters = { up: [], down: [] };

/** Puts articles that stand one after the other in the file. Returns the fate of each. */
async function putArticles(
  target: RestoreTarget,
  lines: readonly ArticleLine[],
): Promise<LineFate[]> {
  const { store, ranking, guild, keys, madeAtMs } = target;
  const ids = lines.map(({ id }) => id);
  const members = lines.flatMap(({ poster, voters = NONE }) => [
    poster,
    ...voters.up,
    ...voters.down,
  ]);
  const [present, removed, begun, erased, erasing, optedOut] = await Promise.all([
    readArticles(ranking, guild, ids),
    readRemovedOf(ranking, guild, ids),
    store.redis.smismember(keys.restoring, ...ids),
    erasedAmong(store, guild, members, madeAtMs),
    readFields(store.redis, keys.erasing, ids),
    // Asked for each step, since a member may opt out meanwhile.
    optedOutAmong(store, guild, members),
  ]);
  const fates = lines.map((line, i): LineFate => {
    if (removed[i] || (present[i] && begun[i] !== 1)) return 'unchanged';
    const isLeft = erasing.has(line.id) || erased.has(line.poster);
    return isLeft || !isTaken(target, line) ? 'left' : 'put';
  });
  const wanted = lines.filter((_, i) => fates[i] === 'put');
  if (wanted.length > 0) await write(target, wanted, new Set([...erased, ...optedOut]));
  return withoutErasedSince(target, lines, fates);
}

/** Takes those out again whose posters had their data erased while they were written. */
async function withoutErasedSince(
  { store, ranking, guild, madeAtMs }: RestoreTarget,
  lines: readonly ArticleLine[],
  fates: readonly LineFate[],
): Promise<LineFate[]> {
  const posters = lines.filter((_, i) => fates[i] === 'put').map(({ poster }) => poster);
  const erased = await erasedAmong(store, guild, posters, madeAtMs);
  return Promise.all(
    lines.map(async ({ id, poster }, i) => {
      if (fates[i] !== 'put' || !erased.has(poster)) return fates[i]!;
      await deleteArticle(ranking, guild, id);
      return 'left' as const;
    }),
  );
}

function isTaken(target: RestoreTarget, { id, closed, removedAtMs }: ArticleLine): boolean {
  const { now, isForeign, isComplete } = target;
  const postedAtMs = snowflakeTimeMs(id);
  if (postedAtMs > now + CLOCKS_APART_MS) return false;
  if (removedAtMs !== undefined) return !isForeign;
  // The article's message has the result, and the next rebuild reads it from there.
  const hasResult = now >= postedAtMs + FINAL_AFTER_MS;
  return closed || !hasResult || isComplete;
}

async function write(
  target: RestoreTarget,
  lines: readonly ArticleLine[],
  leftOut: ReadonlySet<Snowflake>,
): Promise<void> {
  const { ranking, store, guild, keys, isForeign, now } = target;
  const ids = lines.map(({ id }) => id);
  await store.redis.sadd(keys.restoring, ...ids);
  // Record this before the articles are visible, so that none is announced again.
  const mark = await readMark(ranking, guild);
  const told = lines.filter(({ up, id }) => up >= mark && isNews(id, now)).map(({ id }) => id);
  await noteAnnounced(store, guild, told);
  // Record these first, so that the bot never treats another application's messages as its own.
  if (isForeign) await store.redis.sadd(keys.imported, ...ids);
  // Likewise, so that no thread is told anything twice.
  await Promise.all(
    lines.map(async ({ id, outcome }) => {
      if (outcome) await restoreOutcome(ranking, guild, id, outcome);
    }),
  );
  // Put removed articles last: if a link was posted again, the article that is not removed keeps it.
  for (const some of [lines.filter((line) => !isRemoved(line)), lines.filter(isRemoved)]) {
    await Promise.all(some.map((line) => putOne(target, line, leftOut)));
  }
  await store.redis.srem(keys.restoring, ...ids);
}

const isRemoved = ({ removedAtMs }: ArticleLine): boolean => removedAtMs !== undefined;

async function putOne(
  { ranking, guild, isForeign }: RestoreTarget,
  line: ArticleLine,
  leftOut: ReadonlySet<Snowflake>,
): Promise<void> {
  const {
    kind: _,
    outcome: _became,
    groups,
    up,
    down,
    interesting,
    closed,
    locked,
    voters,
    signs: text = '',
    ...plain
  } = line;
  const signs = parseSigns(text);
  const [home = '', ...others] = groups;
  const tally = { up, down, closed: true, starred: closed && interesting };
  await putArticle(ranking, {
    ...plain,
    ...(signs ? { signs } : {}),
    guild,
    home,
    groups: others,
    ...(closed || isForeign ? { tally } : { voters: votersOf(voters, leftOut), locked }),
  });
}

function votersOf(
  { up, down, both = [] }: Voters = NONE,
  leftOut: ReadonlySet<Snowflake>,
): Map<Snowflake, Voter> {
  const older = new Set(both);
  const voted = (members: readonly string[], vote: Direction) =>
    members
      .filter((member) => !leftOut.has(member))
      .map((member): [string, Voter] => [member, { vote, older: older.has(member) }]);
  return new Map([...voted(up, 'up'), ...voted(down, 'down')]);
}
