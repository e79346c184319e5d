import { countToward, type Limit } from '../../redis/rate-limits.ts';
import { timestamp } from '../../text/mentions.ts';
import type { Store } from '../../redis/store.ts';
import { UserError } from '../user-error.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** Limits of actions that cost more than a page. A busy honest member never reaches them. */
const allowances = {
  search: { points: 30, seconds: 60 },
  export: { points: 5, seconds: 3600 },
  opt: { points: 10, seconds: 3600 },
  erase: { points: 5, seconds: 3600 },
  /** Counted by guild: each file asks Discord for the channels that it names. */
  restore: { points: 20, seconds: 3600 },
} as const satisfies Partial<Record<Limit['what'], Omit<Limit, 'what'>>>;

/** Counts one more action of a member, and refuses it beyond the limit. */
export async function demandWithinLimit(
  { store, clock }: { store: Store; clock: { now(): number } },
  /** Null in direct messages. */
  guild: Snowflake | null,
  /** Or the guild's id, for a limit of the guild. */
  member: Snowflake,
  what: keyof typeof allowances,
): Promise<void> {
  const outcome = await countToward(store, guild ?? '0', member, { what, ...allowances[what] });
  if (outcome.status === 'ok') return;
  // Rounded up to a second, so that a try at the shown time succeeds.
  const untilMs = Math.ceil((clock.now() + outcome.waitMs) / 1000) * 1000;
  throw new UserError('limit.reached', { until: timestamp(untilMs, 'R') });
}
