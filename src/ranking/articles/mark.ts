import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { markOf } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

/** The guild's interesting mark: an article with at least this many up votes is interesting. */
export async function readMark(ranking: Ranking, guild: Snowflake): Promise<number> {
  return markOf(await ranking.redis.hget(guildKeys(ranking, guild).articles, 'mark'));
}

/** Null for a guild that has no mark yet. */
export async function readOwnMark(ranking: Ranking, guild: Snowflake): Promise<number | null> {
  const stored = await ranking.redis.hget(guildKeys(ranking, guild).articles, 'mark');
  return stored === null ? null : markOf(stored);
}

/** Sets the mark of a guild that has none yet. */
export async function startMark(ranking: Ranking, guild: Snowflake, mark: number): Promise<void> {
  if ((await readOwnMark(ranking, guild)) === null) await setMark(ranking, guild, mark);
}

/** Whether a new mark does not apply to all articles yet. */
export async function isRescoring(ranking: Ranking, guild: Snowflake): Promise<boolean> {
  return (await ranking.redis.exists(guildKeys(ranking, guild).rescoring)) === 1;
}

/**
 * Changes the interesting mark (a whole number, at least 1) and so the weight of a vote, then
 * re-scores the guild's articles. `finishRescoring` finishes an interrupted re-scoring.
 * Votes that arrive during the re-scoring count with the new weight.
 */
export async function setMark(ranking: Ranking, guild: Snowflake, mark: number): Promise<void> {
  if (!Number.isSafeInteger(mark) || mark < 1) throw new RangeError(`no mark: ${mark}`);
  const { articles, rescoring } = guildKeys(ranking, guild);
  const [status] = await scripts.setMark(ranking.redis, articles, rescoring, mark);
  if (status === 'changed') await finishRescoring(ranking, guild);
}

/** Rows that one step re-scores, approximately: under a millisecond of the server's time. */
const STEP = 100;

/**
 * Continues a re-scoring in bounded steps and returns the number of articles that it re-scored: 0 if
 * no re-scoring was unfinished. Several processes may call it at once.
 */
export async function finishRescoring(ranking: Ranking, guild: Snowflake): Promise<number> {
  const { redis } = ranking;
  const keys = guildKeys(ranking, guild);
  let rescored = 0;
  for (;;) {
    const cursor = await redis.get(keys.rescoring);
    if (cursor === null) break;
    const [next, found] = await redis.hscan(keys.articles, cursor, 'COUNT', STEP);
    const ids = found.filter((field, i) => i % 2 === 0 && /^\d+$/.test(field));
    const [status] = await scripts.rescore(
      redis,
      keys.articles,
      keys.rescoring,
      keys.score,
      keys.interesting,
      cursor,
      next,
      ...ids,
    );
    if (status === 'rescored') rescored += ids.length;
  }
  if (rescored > 0) ranking.changes.note(guild);
  return rescored;
}
