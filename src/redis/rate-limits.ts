import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { guildTag } from './keys.ts';
import type { Store } from './store.ts';

/** What a member does too often: so many in so many seconds. */
export type Limit = { what: 'post' | 'vote'; points: number; seconds: number };

export type LimitOutcome = { status: 'ok' } | { status: 'limited'; waitMs: number };

/**
 * Counts one more of what a member does. The window begins with its first, by Redis's own time:
 * a limit is a courtesy and no rule of the game.
 */
export async function countToward(
  store: Store,
  guild: string,
  member: string,
  limit: Limit,
): Promise<LimitOutcome> {
  if (limit.points === 0) return { status: 'ok' };
  try {
    await limiterOf(store, guild, limit).consume(member);
    return { status: 'ok' };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { status: 'limited', waitMs: refusal.msBeforeNext };
  }
}

/** Takes one back: what was counted did not happen after all. */
export async function uncount(
  store: Store,
  guild: string,
  member: string,
  limit: Limit,
): Promise<void> {
  if (limit.points > 0) await limiterOf(store, guild, limit).reward(member);
}

function limiterOf(store: Store, guild: string, { what, points, seconds }: Limit) {
  return new RateLimiterRedis({
    storeClient: store.redis,
    // Followed by a colon and the member.
    keyPrefix: `${guildTag(store.applicationId, guild)}limit:${what}`,
    points,
    duration: seconds,
  });
}
