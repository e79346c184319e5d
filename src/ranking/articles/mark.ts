import { type GuildKeys, guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Scale, scaleOf, SPANS } from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';
import { scanIds } from './articles.ts';

/** The guild's interesting mark: an article with at least this many up votes is interesting. */
export async function readMark(ranking: Ranking, guild: Snowflake): Promise<number> {
  return (await readScale(ranking, guild)).mark;
}

/** The guild's mark and span, which together make the weight of a vote. */
export async function readScale(ranking: Ranking, guild: Snowflake): Promise<Scale> {
  const { mark, spanDays } = await readOwnScale(ranking, guild);
  return scaleOf(mark === null ? null : String(mark), spanDays === null ? null : String(spanDays));
}

/** Null for what a guild does not have yet. */
export async function readOwnScale(
  { redis, ...store }: Ranking,
  guild: Snowflake,
): Promise<{ [part in keyof Scale]: Scale[part] | null }> {
  const { articles } = guildKeys(store, guild);
  const [mark = null, span = null] = await redis.hmget(articles, 'mark', 'span');
  const stored = scaleOf(mark, span);
  return {
    mark: mark === null ? null : stored.mark,
    spanDays: span === null ? null : stored.spanDays,
  };
}

/** Whether a new scale does not apply to all articles yet. */
export async function isRescoring(ranking: Ranking, guild: Snowflake): Promise<boolean> {
  return (await ranking.redis.exists(guildKeys(ranking, guild).rescoring)) === 1;
}

/**
 * Changes the interesting mark (a whole number, at least 1), the span (one of `SPANS`), or both, and so
 * the weight of a vote, then re-scores the guild's articles. `checkGuild`, or the same call, finishes an
 * interrupted re-scoring. Votes that arrive during the re-scoring count with the new weight.
 */
export async function setScale(
  ranking: Ranking,
  guild: Snowflake,
  { mark, spanDays }: Partial<Scale>,
): Promise<void> {
  if (mark !== undefined && !(Number.isSafeInteger(mark) && mark >= 1)) {
    throw new RangeError(`no mark: ${mark}`);
  }
  if (spanDays !== undefined && !SPANS.some((days) => days === spanDays)) {
    throw new RangeError(`no span: ${spanDays}`);
  }
  const before = await readOwnScale(ranking, guild);
  const isSet =
    (mark ?? before.mark) === before.mark && (spanDays ?? before.spanDays) === before.spanDays;
  if (isSet && !(await isRescoring(ranking, guild))) return;
  const { redis } = ranking;
  const keys = guildKeys(ranking, guild);
  const fields = {
    ...(mark === undefined ? {} : { mark }),
    ...(spanDays === undefined ? {} : { span: spanDays }),
  };
  const rescoring = `${mark ?? before.mark} ${spanDays ?? before.spanDays}`;
  await redis.set(keys.rescoring, rescoring);
  await redis.hset(keys.articles, fields);
  for await (const ids of scanIds(ranking, keys.articles)) {
    await rankArticles(ranking, keys, ids);
  }
  await endRescoring(ranking, keys, rescoring);
  ranking.changes.note(guild);
}

/** Notes that all articles have the scores of this scale, unless a newer one was set meanwhile. */
export async function endRescoring(
  { redis }: Ranking,
  { rescoring }: GuildKeys,
  scale: string | null,
): Promise<void> {
  if (scale !== null && (await redis.get(rescoring)) === scale) await redis.del(rescoring);
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
