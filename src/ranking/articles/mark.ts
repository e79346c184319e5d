import { type GuildKeys, guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { markOf } from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';
import { scanIds } from './articles.ts';

/** The guild's interesting mark: an article with at least this many up votes is interesting. */
export async function readMark(ranking: Ranking, guild: Snowflake): Promise<number> {
  return markOf(await ranking.redis.hget(guildKeys(ranking, guild).articles, 'mark'));
}

/** Null for a guild that has no mark yet. */
export async function readOwnMark(ranking: Ranking, guild: Snowflake): Promise<number | null> {
  const stored = await ranking.redis.hget(guildKeys(ranking, guild).articles, 'mark');
  return stored === null ? null : markOf(stored);
}

/** Whether a new mark does not apply to all articles yet. */
export async function isRescoring(ranking: Ranking, guild: Snowflake): Promise<boolean> {
  return (await ranking.redis.exists(guildKeys(ranking, guild).rescoring)) === 1;
}

/**
 * Changes the interesting mark (a whole number, at least 1) and so the weight of a vote, then
 * re-scores the guild's articles. `checkGuild`, or the same call, finishes an interrupted re-scoring.
 * Votes that arrive during the re-scoring count with the new weight.
 */
export async function setMark(ranking: Ranking, guild: Snowflake, mark: number): Promise<void> {
  if (!Number.isSafeInteger(mark) || mark < 1) throw new RangeError(`no mark: ${mark}`);
  const isSet = (await readOwnMark(ranking, guild)) === mark;
  if (isSet && !(await isRescoring(ranking, guild))) return;
  const { redis } = ranking;
  const keys = guildKeys(ranking, guild);
  await redis.set(keys.rescoring, mark);
  await redis.hset(keys.articles, 'mark', mark);
  for await (const ids of scanIds(ranking, keys.articles)) {
    await rankArticles(ranking, keys, ids);
  }
  await endRescoring(ranking, keys, String(mark));
  ranking.changes.note(guild);
}

/** Notes that all articles have the scores of this mark, unless a newer one was set meanwhile. */
export async function endRescoring(
  { redis }: Ranking,
  { rescoring }: GuildKeys,
  mark: string | null,
): Promise<void> {
  if (mark !== null && (await redis.get(rescoring)) === mark) await redis.del(rescoring);
}

/** Articles that one step places: under two milliseconds of the server's time. */
const STEP = 100;

/**
 * Puts articles where they belong by their rows and the mark, in steps. Returns the number of those that
 * a ranking by score or time, or the open ones, lacked.
 */
export async function rankArticles(
  { redis }: Ranking,
  keys: GuildKeys,
  ids: readonly Snowflake[],
): Promise<number> {
  let lacked = 0;
  for (let i = 0; i < ids.length; i += STEP) {
    const some = ids.slice(i, i + STEP);
    const [, count] = await scripts.rankArticles(redis, ...keys.ofScripts, ...some);
    lacked += Number(count);
  }
  return lacked;
}
