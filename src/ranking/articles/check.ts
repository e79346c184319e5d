import { type GuildKeys, guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { decodeRow, isText, type Row } from '../row.ts';
import { isMark } from '../rules.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';
import { finishRescoring } from './mark.ts';

/** How the keys of a guild disagree. */
type Damage = {
  /** Keys of a wrong type, or `mark` if it is none. They were deleted. */
  wrongTypes: string[];
  /** Articles that a ranking or an index lacked. They were put there by their rows. */
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

/**
 * Compares a guild's rankings and indexes with its rows, and repairs what does not fit.
 * Bounded steps; while nothing is wrong, it writes nothing.
 */
export async function checkGuild(ranking: Ranking, guild: Snowflake): Promise<Damage> {
  const keys = guildKeys(ranking.applicationId, guild);
  const wrongTypes = await deleteWrongTypes(ranking, keys);
  const { broken, isGone } = await deleteBroken(ranking, keys);
  // Articles that a new mark makes interesting are not missing.
  await finishRescoring(ranking, guild);
  const misplaced = await placeAll(ranking, keys).catch(async (error: Error) => {
    if (!error.message.includes('WRONGTYPE')) throw error;
    await deleteRankings(ranking, keys);
    return placeAll(ranking, keys);
  });
  if (broken > 0 || misplaced > 0) ranking.changes.noteAll(guild);
  return { wrongTypes, misplaced, broken, isGone };
}

const TYPES: Record<string, (keyof GuildKeys)[]> = {
  hash: ['articles', 'texts', 'previews', 'comments', 'listed', 'removed', 'links', 'postings'],
  set: ['open'],
  zset: ['score', 'time', 'votes', 'interesting'],
  string: ['rescoring', 'linkRules'],
};

async function deleteWrongTypes({ redis }: Ranking, keys: GuildKeys): Promise<string[]> {
  const wrong: string[] = [];
  for (const [type, names] of Object.entries(TYPES)) {
    for (const name of names) {
      const found = await redis.type(keys[name] as string);
      if (found === 'none' || found === type) continue;
      await redis.unlink(keys[name] as string);
      wrong.push(name);
    }
  }
  // The version is counted up with every change.
  const [version = null, mark = null] = await redis.hmget(keys.articles, 'version', 'mark');
  if (version !== null && !/^\d{1,15}$/.test(version)) await redis.hdel(keys.articles, 'version');
  if (mark !== null && !isMark(mark)) {
    await redis.hdel(keys.articles, 'mark');
    wrong.push('mark');
  }
  return wrong;
}

/** All articles in steps. The row is null if it or the text is missing or cannot be read. */
async function* walkRows(
  { redis }: Ranking,
  { articles, texts }: GuildKeys,
): AsyncGenerator<[id: Snowflake, row: Row | null][]> {
  for (const key of [articles, texts]) {
    let cursor = '0';
    do {
      const [next, found] = await redis.hscan(key, cursor, 'COUNT', STEP);
      cursor = next;
      const ids = found.filter((field, i) => i % 2 === 0 && /^\d+$/.test(field));
      if (ids.length === 0) continue;
      const replies = await redis
        .multi()
        .hmget(articles, ...ids)
        .hmget(texts, ...ids)
        .exec();
      const [rows, words] = (replies ?? []).map(([, values]) => values as (string | null)[]);
      yield ids.flatMap((id, i): [Snowflake, Row | null][] => {
        const [row, text] = [rows?.[i] ?? null, words?.[i] ?? null];
        // It was deleted meanwhile.
        if (row === null && text === null) return [];
        // The first scan has found it.
        if (row !== null && key === texts) return [];
        return [[id, row !== null && text !== null && isText(text) ? decodeRow(row) : null]];
      });
    } while (cursor !== '0');
  }
}

async function deleteBroken(
  ranking: Ranking,
  keys: GuildKeys,
): Promise<Pick<Damage, 'broken' | 'isGone'>> {
  const { redis } = ranking;
  const others = await redis.hmget(keys.articles, 'mark', 'version');
  const fields = (await redis.hlen(keys.articles)) - others.filter((one) => one !== null).length;
  let broken = 0;
  for await (const rows of walkRows(ranking, keys)) {
    const ids = rows.flatMap(([id, row]) => (row === null ? [id] : []));
    if (ids.length === 0) continue;
    broken += ids.length;
    await redis.hdel(keys.articles, ...ids);
    await redis.hdel(keys.texts, ...ids);
    await redis.srem(keys.open, ...ids);
    await redis.unlink(...ids.flatMap((id) => [keys.voters(id), keys.older(id)]));
  }
  // Only the rows said where the articles stood.
  if (broken > 0) await deleteRankings(ranking, keys);
  return { broken, isGone: fields === 0 && broken > 0 };
}

async function deleteRankings(ranking: Ranking, keys: GuildKeys): Promise<void> {
  const groups = new Set<Snowflake>();
  for await (const rows of walkRows(ranking, keys)) {
    for (const [, row] of rows) for (const group of row?.groups ?? []) groups.add(group);
  }
  const { interesting, open, rankings } = keys;
  await ranking.redis.unlink(interesting, open);
  for (const suffix of ['', ...[...groups].map((group) => `:${group}`)]) {
    await ranking.redis.unlink(...rankings.map((key) => key + suffix));
  }
}

/** Returns the number of articles of which something was missing. */
async function placeAll(ranking: Ranking, keys: GuildKeys): Promise<number> {
  const { redis } = ranking;
  let misplaced = 0;
  for await (const rows of walkRows(ranking, keys)) {
    for (let i = 0; i < rows.length; i += PLACED) {
      const [, count] = await redis.placeArticles(
        keys.articles,
        keys.links,
        keys.open,
        ...keys.rankings,
        keys.postings,
        ...rows.slice(i, i + PLACED).flatMap(([id]) => [id, secondsOf(id)]),
      );
      misplaced += Number(count);
    }
  }
  return misplaced;
}
