import { type GuildKeys, guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { decodeRow, isText, type Row } from '../row.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';

/** How the keys of a guild disagree. */
type Damage = {
  /** Keys of a wrong type. They were deleted. */
  wrongTypes: string[];
  /** Articles that a ranking or an index lacked. All of these were made anew from the rows. */
  misplaced: number;
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

/**
 * Compares a guild's rankings and indexes with its rows, and makes them anew where they lack articles.
 * Bounded steps; while nothing is wrong, it writes nothing.
 */
export async function checkGuild(ranking: Ranking, guild: Snowflake, now: number): Promise<Damage> {
  const keys = guildKeys(ranking.applicationId, guild);
  const wrongTypes = await deleteWrongTypes(ranking, keys);
  const { broken, isGone } = await deleteBroken(ranking, keys);
  const misplaced = await countMisplaced(ranking, keys, now);
  if (broken > 0 || misplaced > 0) {
    await placeAll(ranking, keys, now);
    ranking.changes.noteAll(guild);
  }
  return { wrongTypes, misplaced, broken, isGone };
}

async function deleteWrongTypes({ redis }: Ranking, keys: GuildKeys): Promise<string[]> {
  const types: Record<string, (keyof GuildKeys)[]> = {
    hash: [
      'articles',
      'texts',
      'previews',
      'comments',
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

/** How many articles a ranking or an index lacks. All of them, if one of these keys has a wrong type. */
async function countMisplaced(ranking: Ranking, keys: GuildKeys, now: number): Promise<number> {
  const firstDay = Math.floor(now / 1000 / DAY_SECONDS) - DAYS + 1;
  let misplaced = 0;
  for await (const rows of walkRows(ranking, keys)) {
    for (let i = 0; i < rows.length; i += PLACED) {
      const some = rows.slice(i, i + PLACED).map(([id]) => id);
      misplaced += await ranking.redis
        .countMisplaced(...placingKeys(keys), keys.rescoring, firstDay, ...withTimes(some))
        .then(([, count]) => Number(count))
        .catch((error: Error) => {
          if (error.message.includes('WRONGTYPE')) return some.length;
          throw error;
        });
    }
  }
  return misplaced;
}

/** Makes all rankings anew, so that they hold nothing that has no row. */
async function placeAll(ranking: Ranking, keys: GuildKeys, now: number): Promise<void> {
  const { redis } = ranking;
  const groups = new Set<Snowflake>();
  for await (const rows of walkRows(ranking, keys)) {
    for (const [, row] of rows) for (const group of row?.groups ?? []) groups.add(group);
  }
  const today = Math.floor(now / 1000 / DAY_SECONDS);
  const days = Array.from({ length: DAYS }, (_, ago) => keys.days + (today - ago));
  const rankings = [keys.score, keys.time, keys.votes, ...days];
  for (const suffix of ['', ...[...groups].map((group) => `:${group}`)]) {
    await redis.unlink(...rankings.map((key) => key + suffix));
  }
  await redis.unlink(keys.interesting, keys.open);
  for await (const rows of walkRows(ranking, keys)) {
    for (let i = 0; i < rows.length; i += PLACED) {
      const some = rows.slice(i, i + PLACED).map(([id]) => id);
      await redis.placeArticles(...placingKeys(keys), ...withTimes(some));
    }
  }
}

function placingKeys(keys: GuildKeys): string[] {
  return [keys.articles, keys.links, keys.open, ...keys.rankings];
}

function withTimes(ids: readonly Snowflake[]): (Snowflake | number)[] {
  return ids.flatMap((id) => [id, secondsOf(id)]);
}
