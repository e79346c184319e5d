import { z } from 'zod';

/** A Discord id: an unsigned 64-bit number in decimal, as a string, since it does not fit a number. */
export type Snowflake = string;

export const zSnowflake = z
  .string()
  .regex(/^[1-9]\d{0,19}$/, 'not a snowflake')
  .refine((id) => id.length < 20 || id <= '18446744073709551615', 'not a snowflake');

/** The first millisecond of 2015: the epoch of snowflakes (Discord's API reference, "Snowflakes"). */
export const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** The creation time of a snowflake, in milliseconds since the Unix epoch. */
export function snowflakeTimeMs(id: Snowflake): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}

/** The smallest snowflake of a millisecond, for the lower end of a range of ids by time. Discord takes none below 1. */
export function snowflakeAt(ms: number): Snowflake {
  const sinceMs = BigInt(Math.max(Number(DISCORD_EPOCH_MS), Math.floor(ms))) - DISCORD_EPOCH_MS;
  return String(sinceMs << 22n || 1n);
}

/** For sorting by creation time, oldest first: a longer id is newer. */
export function compareIds(a: Snowflake, b: Snowflake): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** The post time of an article in the rankings: whole seconds since the Unix epoch. */
export function secondsOf(article: Snowflake): number {
  return Math.floor(snowflakeTimeMs(article) / 1000);
}
