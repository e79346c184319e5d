import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import {
  decodeChannelScale,
  encodeChannelScale,
  type Scale,
  SCALE_FIELDS,
  scaleOf,
} from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/**
 * A channel that posts clearly less than its guild has a scale of its own, since a day in which its guild posts
 * 30 articles is an hour of its own, and it would read newest first (`bench/channels.ts`). Only the order of the
 * channel's own list goes by it, when that is read: ★ and every other list are the guild's, and a vote costs the same.
 */

/** A group's own scale; null: its list goes by the guild's. */
export async function readChannelScale(
  { redis, ...store }: Ranking,
  { guild, group }: { guild: Snowflake; group?: Snowflake | null },
): Promise<Scale | null> {
  if (!group) return null;
  const { articles, channelScales } = guildKeys(store, guild);
  const [fields, stored] = await Promise.all([
    redis.hmget(articles, ...SCALE_FIELDS),
    redis.hget(channelScales, group),
  ]);
  return scaleOf(fields).isLimited ? decodeChannelScale(stored) : null;
}

/** The own scales among these groups, and how many are stored. */
export async function readChannelScales(
  { redis, ...store }: Ranking,
  guild: Snowflake,
  groups: readonly Snowflake[],
): Promise<{ scales: Map<Snowflake, Scale>; stored: number }> {
  const { channelScales } = guildKeys(store, guild);
  const [stored, texts] = await Promise.all([
    redis.hlen(channelScales),
    groups.length > 0 ? redis.hmget(channelScales, ...groups) : [],
  ]);
  const scales = new Map<Snowflake, Scale>();
  for (const [at, group] of groups.entries()) {
    const scale = decodeChannelScale(texts[at]);
    if (scale) scales.set(group, scale);
  }
  return { scales, stored };
}

/** The groups that are not among them have none from now on. */
export async function setChannelScales(
  ranking: Ranking,
  guild: Snowflake,
  scales: ReadonlyMap<Snowflake, Scale>,
): Promise<void> {
  const { channelScales } = guildKeys(ranking, guild);
  const fields = new Map([...scales].map(([group, scale]) => [group, encodeChannelScale(scale)]));
  const change = ranking.redis.multi().del(channelScales);
  if (fields.size > 0) change.hset(channelScales, fields);
  await change.exec();
  ranking.changes.note(guild);
}
