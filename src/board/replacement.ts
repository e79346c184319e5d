import { nextSlot, previousSlot } from '../digests/schedule/slots.ts';
import { readDigests } from '../digests/stored-digests.ts';
import type { Store } from '../redis/store.ts';
import { MINUTE_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** The new board comes after the digest of that hour, below it. */
const AFTER_DIGEST_MS = 2 * MINUTE_MS;
/** Without a digest: three in the night, UTC. */
const NIGHT = { every: 'day', time: '03:00', zone: 'UTC' } as const;
/** Many guilds have the same hour: their boards come spread over this time. */
const SPREAD_MS = 10 * MINUTE_MS;

/** A part of the time that differs from guild to guild, and is the same in every process. */
export function partOf(guild: Snowflake, ms: number): number {
  return Number((BigInt(guild) >> 22n) % BigInt(ms));
}

/** When the board is replaced by a new message: at the hour of the guild's first digest, or at night. */
export async function replacements(
  store: Store,
  guild: Snowflake,
  now: number,
): Promise<{ lastMs: number; nextMs: number }> {
  const [first] = await readDigests(store, guild);
  const schedule = first ? { ...NIGHT, ...pick(first.digest.schedule) } : NIGHT;
  const afterMs = AFTER_DIGEST_MS + partOf(guild, SPREAD_MS);
  const last = previousSlot(schedule, now - afterMs + 1);
  const next = nextSlot(schedule, now - afterMs);
  return { lastMs: last.atMs + afterMs, nextMs: next.atMs + afterMs };
}

function pick({ time, zone }: { time: string; zone: string }) {
  return { time, zone };
}
