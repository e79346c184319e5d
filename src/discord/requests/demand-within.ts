import { countToward, type Limit } from '../../redis/rate-limits.ts';
import type { Store } from '../../redis/store.ts';
import { UserError } from '../user-error.ts';

/** What costs more than a page, so often that a busy honest member never meets it. */
const limits = {
  search: { points: 30, seconds: 60 },
  export: { points: 5, seconds: 3600 },
  opt: { points: 10, seconds: 3600 },
} as const satisfies Partial<Record<Limit['what'], Omit<Limit, 'what'>>>;

/** Counts one more of these by a member, and refuses what is beyond the limit. */
export async function demandWithin(
  { store, clock }: { store: Store; clock: { now(): number } },
  /** Null in direct messages. */
  guild: string | null,
  member: string,
  what: keyof typeof limits,
): Promise<void> {
  const outcome = await countToward(store, guild ?? '0', member, { what, ...limits[what] });
  if (outcome.status === 'ok') return;
  const until = `<t:${Math.ceil((clock.now() + outcome.waitMs) / 1000)}:R>`;
  throw new UserError('limit.reached', { until });
}
