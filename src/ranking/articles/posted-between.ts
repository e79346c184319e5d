import { readFields } from '../../redis/scan.ts';
import { guildKeys } from '../keys.ts';
import { askedOnce } from '../../runtime/asked-once.ts';
import type { Ranking } from '../ranking.ts';
import { decodeRow } from '../row.ts';
import { compareIds, type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';

/** Rows that are read at once. */
const STEP = 500;

/** What everyone may see of the articles of a time. */
export type PostedBetween = {
  guild: Snowflake;
  /** Only those of this group; null: all. */
  group: Snowflake | null;
  fromMs: number;
  untilMs: number;
  /** Of more, the newest are looked at, and those that are among the best of all time. */
  most: number;
};

/**
 * The ids of the listed articles posted in [fromMs, untilMs), those with the most net votes first, ties newest
 * first. The work grows with the posts of that time, not with what was posted since, and reads no texts.
 */
export async function bestPostedBetween(
  ranking: Ranking,
  { guild, group, fromMs, untilMs, most }: PostedBetween,
): Promise<Snowflake[]> {
  const keys = guildKeys(ranking, guild);
  const time = group === null ? keys.time : keys.ofGroup('time', group);
  const [min, max] = [Math.ceil(fromMs / 1000), `(${Math.ceil(untilMs / 1000)}`];
  const newest = await ranking.redis.zrevrangebyscore(time, max, min, 'LIMIT', 0, most);
  const best = newest.length < most ? [] : await bestOfAllTime(ranking, { guild, group });
  const within = best.filter((id) => {
    const atMs = snowflakeTimeMs(id);
    return atMs >= fromMs && atMs < untilMs;
  });
  const ids = [...new Set([...newest, ...within])];
  const isListed = askedOnce((home: Snowflake) => ranking.isListed(guild, home));
  const found: { id: Snowflake; net: number }[] = [];
  for (let at = 0; at < ids.length; at += STEP) {
    const texts = await readFields(ranking.redis, keys.articles, ids.slice(at, at + STEP));
    for (const [id, text] of texts) {
      const row = decodeRow(id, text);
      if (row?.listed && isListed(row.groups[0] ?? '')) found.push({ id, net: row.up - row.down });
    }
  }
  return found.sort((a, b) => b.net - a.net || compareIds(b.id, a.id)).map(({ id }) => id);
}

/** The best 1 000 of the closed ones. */
function bestOfAllTime(
  ranking: Ranking,
  { guild, group }: Pick<PostedBetween, 'guild' | 'group'>,
): Promise<Snowflake[]> {
  const keys = guildKeys(ranking, guild);
  return ranking.redis.zrevrange(group === null ? keys.votes : keys.ofGroup('votes', group), 0, -1);
}
