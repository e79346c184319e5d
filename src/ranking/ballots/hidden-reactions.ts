import { z } from 'zod';
import { scanHash } from '../../redis/scan.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/**
 * Discord's reaction counts of an open article minus the ranking's, when its lists were last read. The
 * difference is bots, the poster, and members whose votes do not count. While it stays the same, the
 * lists need not be read again.
 */
export type HiddenReactions = {
  up: number;
  down: number;
  /** When all its lists were last read (ms); 0: never. */
  readAtMs: number;
};

const zOffset = z
  .string()
  .regex(/^-?\d+ -?\d+ \d+$/)
  .transform((text): HiddenReactions => {
    const [up = 0, down = 0, readAtMs = 0] = text.split(' ').map(Number);
    return { up, down, readAtMs };
  });

/** The value before the first read of the lists. */
export const NO_HIDDEN_REACTIONS: HiddenReactions = { up: 0, down: 0, readAtMs: 0 };

/** In the order of `articles`. */
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

/** Deletes the entries of articles that are no longer open. */
export async function sweepHiddenReactions(ranking: Ranking, guild: Snowflake): Promise<void> {
  const { offsets, open } = guildKeys(ranking.applicationId, guild);
  for await (const [article] of scanHash(ranking.redis, offsets)) {
    const isOpen = await ranking.redis.sismember(open, article);
    if (isOpen !== 1) await ranking.redis.hdel(offsets, article);
  }
}
