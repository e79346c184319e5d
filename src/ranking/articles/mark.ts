import { isDeepStrictEqual } from 'node:util';
import { type GuildKeys, guildKeys } from '../keys.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Ranking } from '../ranking.ts';
import { SCALE_FIELDS, type Scale, scaleOf, SCORE_VERSION, SPANS } from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';
import { scanIds } from './articles.ts';

/** The guild's interesting mark: an article with at least this many up votes is interesting. */
export async function readMark(ranking: Ranking, guild: Snowflake): Promise<number> {
  return (await readScale(ranking, guild)).mark;
}

/** The guild's scale: its mark and span make the weight of a vote. */
export async function readScale({ redis, ...store }: Ranking, guild: Snowflake): Promise<Scale> {
  const { articles } = guildKeys(store, guild);
  return scaleOf(await redis.hmget(articles, ...SCALE_FIELDS));
}

/** Null for what a guild does not have yet. */
export async function readOwnScale(
  { redis, ...store }: Ranking,
  guild: Snowflake,
): Promise<{ [part in 'mark' | 'spanDays']: Scale[part] | null } & Pick<Scale, 'isLimited'>> {
  const { articles } = guildKeys(store, guild);
  const [mark = null, span = null, limit = null] = await redis.hmget(articles, ...SCALE_FIELDS);
  const stored = scaleOf([mark, span, limit]);
  return {
    mark: mark === null ? null : stored.mark,
    spanDays: span === null ? null : stored.spanDays,
    isLimited: stored.isLimited,
  };
}

/** Whether a new scale does not apply to all articles yet. */
export async function isRescoring(ranking: Ranking, guild: Snowflake): Promise<boolean> {
  return (await ranking.redis.exists(guildKeys(ranking, guild).rescoring)) === 1;
}

/**
 * Changes the interesting mark (a whole number, at least 1), the span (one of `SPANS`), whether votes are
 * limited, or some of these, and re-scores the guild's articles if they do not have their scores by it, or
 * have them by the score of another version. `checkGuild`, or the same call, finishes an interrupted
 * re-scoring. Votes that arrive during the re-scoring count with the new weight.
 */
export async function setScale(
  ranking: Ranking,
  guild: Snowflake,
  { mark, spanDays, isLimited }: Partial<Scale>,
): Promise<void> {
  if (mark !== undefined && !(Number.isSafeInteger(mark) && mark >= 1)) {
    throw new RangeError(`no mark: ${mark}`);
  }
  if (spanDays !== undefined && !SPANS.some((days) => days === spanDays)) {
    throw new RangeError(`no span: ${spanDays}`);
  }
  const before = await readOwnScale(ranking, guild);
  const after = {
    mark: mark ?? before.mark,
    spanDays: spanDays ?? before.spanDays,
    isLimited: isLimited ?? before.isLimited,
  };
  const { redis } = ranking;
  const keys = guildKeys(ranking, guild);
  const { due } = storeKeys(ranking, guild);
  if (isDeepStrictEqual(before, after) && (await isScored(ranking, keys))) return;
  const fields = {
    ...(mark === undefined ? {} : { mark }),
    ...(spanDays === undefined ? {} : { span: spanDays }),
    ...(isLimited === undefined ? {} : { limit: isLimited ? 'marks' : 'none' }),
  };
  const rescoring = Object.values(after).join(' ');
  await redis.set(keys.rescoring, rescoring);
  await redis.hset(keys.articles, fields);
  for await (const ids of scanIds(ranking, keys.articles)) {
    await rankArticles(ranking, keys, ids);
  }
  await endRescoring(ranking, keys, rescoring);
  // An announcement is of what became interesting by votes: it notes each mark before it looks for more, and amid
  // the walk it would note nothing.
  await redis.zadd(due, 0, 'announce');
  ranking.onPlanned(guild, 0);
  ranking.changes.note(guild);
}

/** Whether all articles have their scores by the guild's scale and by this version of the score. */
async function isScored({ redis }: Ranking, keys: GuildKeys): Promise<boolean> {
  const [rescoring, version] = await Promise.all([
    redis.exists(keys.rescoring),
    redis.hget(keys.articles, 'scored'),
  ]);
  return rescoring === 0 && version === SCORE_VERSION;
}

/** Notes that all articles have the scores of this scale, unless a newer one was set meanwhile. */
export async function endRescoring(
  { redis }: Ranking,
  { rescoring, articles }: GuildKeys,
  scale: string | null,
): Promise<void> {
  if (scale === null || (await redis.get(rescoring)) !== scale) return;
  await redis.hset(articles, 'scored', SCORE_VERSION);
  await redis.del(rescoring);
}

/** Articles that one step places: under two milliseconds of the server's time. */
const STEP = 100;

/**
 * Puts articles where they belong by their rows and the scale, in steps. Returns the number of those that
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
