import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { markOf } from '../rules.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';

/** The guild's interesting mark: up votes from which an article is interesting. */
export async function readMark(ranking: Ranking, guild: Snowflake): Promise<number> {
  const { articles } = guildKeys(ranking.applicationId, guild);
  return markOf(await ranking.redis.hget(articles, 'mark'));
}

/**
 * Changes the interesting mark, a whole number from 1 on, and with it the weight of a vote, then
 * re-scores the guild's articles. Interrupted, it is finished by `finishRescoring`.
 * Votes that arrive meanwhile count with the new weight.
 */
export async function setMark(
  ranking: Ranking,
  guild: Snowflake,
  mark: number,
): Promise<{ status: 'changed' | 'unchanged' }> {
  if (!Number.isSafeInteger(mark) || mark < 1) throw new RangeError(`no mark: ${mark}`);
  const keys = guildKeys(ranking.applicationId, guild);
  const [status] = await ranking.redis.setMark(keys.articles, keys.rescoring, String(mark));
  if (status === 'changed') await finishRescoring(ranking, guild);
  return { status: status as 'changed' | 'unchanged' };
}

/** About how many rows a step re-scores: under a millisecond of the server's time. */
const STEP = 100;

/**
 * Goes on with a re-scoring that was begun, in bounded steps, and returns how many articles it
 * re-scored: none where there was nothing to finish. Several processes may do so at once.
 */
export async function finishRescoring(ranking: Ranking, guild: Snowflake): Promise<number> {
  const { redis } = ranking;
  const keys = guildKeys(ranking.applicationId, guild);
  let rescored = 0;
  for (;;) {
    const cursor = await redis.get(keys.rescoring);
    if (cursor === null) break;
    const [next, found] = await redis.hscan(keys.articles, cursor, 'COUNT', STEP);
    const ids = found.filter((field, i) => i % 2 === 0 && /^\d+$/.test(field));
    const [status] = await redis.rescore(
      keys.articles,
      keys.rescoring,
      keys.score,
      keys.interesting,
      cursor,
      next,
      ...ids.flatMap((id) => [id, secondsOf(id)]),
    );
    if (status === 'rescored') rescored += ids.length;
  }
  if (rescored > 0) ranking.changes.noteAll(guild);
  return rescored;
}
