import { z } from 'zod';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/**
 * By how much Discord's counts of an open article were above what the ranking knew of its reactions
 * when its lists were last read: bots, the poster, members who do not count. While that stays the
 * same, there is nothing new to read.
 */
export type HiddenReactions = {
  up: number;
  down: number;
  /** When all of its lists were last read (ms); 0: never. */
  readAtMs: number;
};

const zOffset = z
  .string()
  .regex(/^-?\d+ -?\d+ \d+$/)
  .transform((text): HiddenReactions => {
    const [up = 0, down = 0, readAtMs = 0] = text.split(' ').map(Number);
    return { up, down, readAtMs };
  });

/** Nothing is known to be hidden as long as no list was read. */
export const NO_HIDDEN_REACTIONS: HiddenReactions = { up: 0, down: 0, readAtMs: 0 };

/** In the order asked for. */
export async function readHiddenReactions(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly Snowflake[],
): Promise<HiddenReactions[]> {
  if (articles.length === 0) return [];
  const { offsets } = guildKeys(ranking.applicationId, guild);
  const found = await ranking.redis.hmget(offsets, ...articles);
  return found.map((text) => zOffset.safeParse(text).data ?? NO_HIDDEN_REACTIONS);
}

export async function writeHiddenReactions(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  { up, down, readAtMs }: HiddenReactions,
): Promise<void> {
  const { offsets } = guildKeys(ranking.applicationId, guild);
  await ranking.redis.hset(offsets, article, `${up} ${down} ${readAtMs}`);
}

/** Drops what is stored of articles that are not open any more. */
export async function sweepHiddenReactions(ranking: Ranking, guild: Snowflake): Promise<void> {
  const { offsets, open } = guildKeys(ranking.applicationId, guild);
  const articles = await ranking.redis.hkeys(offsets);
  if (articles.length === 0) return;
  const isOpen = await ranking.redis.smismember(open, ...articles);
  const gone = articles.filter((_, i) => isOpen[i] !== 1);
  if (gone.length > 0) await ranking.redis.hdel(offsets, ...gone);
}
