import { type GuildKeys, guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { decodeRow, isText, type Row } from '../row.ts';
import { markOf, VOTES_SIZE } from '../rules.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';

/** How the keys of a guild disagree. */
type Damage = {
  /** Keys of a wrong type. They were deleted. */
  wrongTypes: string[];
  /** Rankings and indexes that lack articles or hold too many. They were made anew from the rows. */
  misfits: string[];
  /** Articles without a readable row or text. They were deleted, and have to be read from Discord. */
  broken: number;
  /** There is no row at all, as after an eviction of the key, which also holds the mark. */
  isGone: boolean;
};

/** Rows that one step reads, approximately. */
const STEP = 500;
/** Articles that one step places: under two milliseconds of the server's time. */
const PLACED = 100;
const DAY_SECONDS = 86_400;
/** The lists by votes read the rankings of this many days. */
const DAYS = 30;
/** The size of a day's ranking by votes, as in `places.include.lua`. */
const DAY_SIZE = 200;

/**
 * Compares the sizes of a guild's rankings and indexes with its rows, and repairs what does not fit.
 * Bounded steps; while nothing is wrong, it reads the rows once and writes nothing.
 */
export async function checkGuild(ranking: Ranking, guild: Snowflake, now: number): Promise<Damage> {
  const keys = guildKeys(ranking.applicationId, guild);
  const wrongTypes = await deleteWrongTypes(ranking, keys);
  const { broken, isGone } = await deleteBroken(ranking, keys);
  const found = await findMisfits(ranking, keys, now);
  // A vote or a new article can come between the rows and a ranking. A ranking whose size changes
  // meanwhile is compared again the next time.
  const again = found.size > 0 ? await findMisfits(ranking, keys, now) : found;
  const misfits = [...found].flatMap(([key, size]) => (again.get(key) === size ? [key] : []));
  if (misfits.length > 0) {
    await ranking.redis.unlink(...misfits);
    await placeAll(ranking, keys);
    ranking.changes.noteAll(guild);
  }
  const tag = keys.articles.length - 'articles'.length;
  return { wrongTypes, misfits: misfits.map((key) => key.slice(tag)), broken, isGone };
}

async function deleteWrongTypes({ redis }: Ranking, keys: GuildKeys): Promise<string[]> {
  const types: Record<string, (keyof GuildKeys)[]> = {
    hash: [
      'articles',
      'texts',
      'previews',
      'comments',
      'offsets',
      'listed',
      'removed',
      'links',
      'linkRules',
      'postings',
      'loudness',
      'fillLease',
    ],
    set: ['open'],
    zset: ['score', 'time', 'votes', 'interesting', 'front', 'filling'],
    string: ['rescoring'],
  };
  const wrong: string[] = [];
  for (const [type, names] of Object.entries(types)) {
    for (const name of names) {
      const found = await redis.type(keys[name] as string);
      if (found === 'none' || found === type) continue;
      await redis.unlink(keys[name] as string);
      wrong.push(name);
    }
  }
  // The version is counted up with every change.
  const version = await redis.hget(keys.articles, 'version');
  if (version !== null && !/^\d{1,15}$/.test(version)) await redis.hdel(keys.articles, 'version');
  return wrong;
}

/** The rows in steps. A row that cannot be read is null. */
async function* walkRows(
  { redis }: Ranking,
  { articles }: GuildKeys,
): AsyncGenerator<[id: Snowflake, row: Row | null][]> {
  let cursor = '0';
  do {
    const [next, found] = await redis.hscan(articles, cursor, 'COUNT', STEP);
    cursor = next;
    const rows: [Snowflake, Row | null][] = [];
    for (let i = 0; i < found.length; i += 2) {
      const [id, row] = [found[i]!, found[i + 1]!];
      if (/^\d+$/.test(id)) rows.push([id, decodeRow(row)]);
    }
    yield rows;
  } while (cursor !== '0');
}

async function deleteBroken(
  ranking: Ranking,
  keys: GuildKeys,
): Promise<Pick<Damage, 'broken' | 'isGone'>> {
  const { redis } = ranking;
  let rows = 0;
  let broken = 0;
  const forget = async (suspects: readonly Snowflake[]): Promise<void> => {
    const ids = await stillBroken(ranking, keys, suspects);
    if (ids.length === 0) return;
    broken += ids.length;
    await redis.hdel(keys.articles, ...ids);
    await redis.hdel(keys.texts, ...ids);
    await redis.srem(keys.open, ...ids);
    await redis.unlink(...ids.flatMap((id) => [keys.voters(id), keys.older(id)]));
  };
  for await (const some of walkRows(ranking, keys)) {
    const ids = some.map(([id]) => id);
    const texts = ids.length === 0 ? [] : await redis.hmget(keys.texts, ...ids);
    const isBroken = some.map(([, row], i) => row === null || !isText(texts[i] ?? ''));
    await forget(ids.filter((_, i) => isBroken[i]));
    rows += isBroken.filter((one) => !one).length;
  }
  const isEmpty = rows === 0 && broken === 0;
  if ((await redis.hlen(keys.texts)) <= rows) return { broken, isGone: false };
  let cursor = '0';
  do {
    const [next, found] = await redis.hscan(keys.texts, cursor, 'COUNT', STEP);
    cursor = next;
    const ids = found.filter((_, i) => i % 2 === 0);
    const known = ids.length === 0 ? [] : await redis.hmget(keys.articles, ...ids);
    await forget(ids.filter((_, i) => known[i] === null));
  } while (cursor !== '0');
  return { broken, isGone: isEmpty && broken > 0 };
}

/** Leaves out articles that were posted or deleted between the reading of the rows and of the texts. */
async function stillBroken(
  { redis }: Ranking,
  keys: GuildKeys,
  ids: readonly Snowflake[],
): Promise<Snowflake[]> {
  if (ids.length === 0) return [];
  const replies = await redis
    .multi()
    .hmget(keys.articles, ...ids)
    .hmget(keys.texts, ...ids)
    .exec();
  const [rows, texts] = (replies ?? []).map(([error, values]) => {
    if (error) throw error;
    return values as (string | null)[];
  });
  return ids.filter((_, i) => {
    const [row, text] = [rows?.[i] ?? null, texts?.[i] ?? null];
    if (row === null && text === null) return false;
    return row === null || text === null || !decodeRow(row) || !isText(text);
  });
}

/** The keys whose size or type is not what the rows say, with their size; null: a wrong type. */
async function findMisfits(
  ranking: Ranking,
  keys: GuildKeys,
  now: number,
): Promise<Map<string, number | null>> {
  const { redis } = ranking;
  const mark = markOf(await redis.hget(keys.articles, 'mark'));
  const sizes = new Map<string, number>([keys.score, keys.time, keys.interesting].map(none));
  const add = (key: string, most = Number.POSITIVE_INFINITY): void => {
    sizes.set(key, Math.min(most, (sizes.get(key) ?? 0) + 1));
  };
  const firstDay = Math.floor(now / 1000 / DAY_SECONDS) - DAYS;
  let open = 0;
  let rows = 0;
  for await (const some of walkRows(ranking, keys)) {
    for (const [id, row] of some) {
      if (!row) continue;
      rows += 1;
      const day = Math.floor(secondsOf(id) / DAY_SECONDS);
      const groups = row.listed ? row.groups : row.groups.slice(0, 1);
      for (const place of [...(row.listed ? [''] : []), ...groups.map((group) => `:${group}`)]) {
        add(keys.score + place);
        add(keys.time + place);
        if (row.closed) add(keys.votes + place, VOTES_SIZE);
        if (row.closed && day > firstDay) add(keys.days + day + place, DAY_SIZE);
      }
      if (row.listed && row.up >= mark) add(keys.interesting);
      if (!row.closed) open += 1;
    }
  }
  // A re-scoring makes this ranking fit a new mark.
  if ((await redis.exists(keys.rescoring)) === 1) sizes.delete(keys.interesting);
  const misfits = new Map<string, number | null>();
  for (const [key, size] of sizes) {
    const found = await redis.zcard(key).catch(orWrongType);
    // The deletion of an article leaves a gap in a full ranking by votes.
    const isFull = (found ?? 0) > 0 && (size === VOTES_SIZE || size === DAY_SIZE);
    if (found !== size && !isFull) misfits.set(key, found);
  }
  const inOpen = await redis.scard(keys.open);
  if (inOpen !== open) misfits.set(keys.open, inOpen);
  if (rows > 0 && (await redis.hlen(keys.links)) === 0) misfits.set(keys.links, 0);
  return misfits;
}

function none(key: string): [string, number] {
  return [key, 0];
}

function orWrongType(error: Error): null {
  if (error.message.startsWith('WRONGTYPE')) return null;
  throw error;
}

async function placeAll(ranking: Ranking, keys: GuildKeys): Promise<void> {
  for await (const rows of walkRows(ranking, keys)) {
    for (let i = 0; i < rows.length; i += PLACED) {
      await ranking.redis.placeArticles(
        keys.articles,
        keys.links,
        keys.open,
        ...keys.rankings,
        ...rows.slice(i, i + PLACED).flatMap(([id]) => [id, secondsOf(id)]),
      );
    }
  }
}
