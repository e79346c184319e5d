import type { Clock } from './clock.ts';

export type Snowflake = string;

const DISCORD_EPOCH_MS = 1_420_070_400_000n;
const REMEMBERED_MS = 1000;

/**
 * Makes ids from the clock. It remembers the last thousand milliseconds in which it made ids, so that
 * a clock that is set back into them makes no id twice.
 * An explicit time makes an id of the past, for a seeded history.
 */
export function snowflakeMaker(clock: Clock): (atMs?: number) => Snowflake {
  const usedInMs = new Map<number, number>();
  return (atMs = Math.floor(clock.now())) => {
    const sequence = usedInMs.get(atMs) ?? 0;
    usedInMs.set(atMs, sequence + 1);
    const [oldest] = usedInMs.keys();
    if (oldest !== undefined && usedInMs.size > REMEMBERED_MS) usedInMs.delete(oldest);
    // The lower 22 bits hold worker, process and sequence: over four million ids a millisecond.
    return (((BigInt(atMs) - DISCORD_EPOCH_MS) << 22n) + BigInt(sequence)).toString();
  };
}

export function snowflakeMs(id: Snowflake): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}

export function isSnowflake(text: string): boolean {
  return /^\d{15,20}$/.test(text);
}

/** Orders decimal ids as numbers without making them numbers. */
export function compareIds(a: Snowflake, b: Snowflake): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
