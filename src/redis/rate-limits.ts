import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { guildTag } from './keys.ts';
import type { Store } from './store.ts';

/** A member may do an action `points` times in `seconds` seconds; 0 points means no limit. */
export type Limit = {
  what: 'post' | 'search' | 'export' | 'opt' | 'erase' | 'restore';
  points: number;
  seconds: number;
};

type LimitOutcome = { status: 'ok' } | { status: 'limited'; waitMs: number };

/**
 * Counts one more action of a member. The window begins with the first action, by Redis's own time:
 * a limit only protects from floods, so it does not need the app's clock.
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

/** Takes back one count, for an action that was counted but did not happen. */
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
