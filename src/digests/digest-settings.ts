import { z } from 'zod';
import { zSnowflake } from '../runtime/snowflake.ts';
import type { Order } from '../ranking/lists/orders.ts';
import { stored } from '../redis/stored.ts';
import { REASONS } from '../messages/messages.ts';
import { zTimeMs } from '../runtime/clock.ts';

/** What `/digest` means when no name is given. */
export const DEFAULT_DIGEST = 'daily';
export const DIGESTS_PER_GUILD = 20;
export const MOST_ARTICLES = 25;
const DEFAULT_COUNT = 10;

/** ISO weekdays: 1 is Monday, 7 is Sunday. */
const zWeekday = z.int().min(1).max(7);

export const zTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** Local wall time in a zone. A day that a month does not have means the month's last day. */
const zSchedule = z
  .discriminatedUnion('every', [
    z.object({ every: z.literal('day') }),
    z.object({ every: z.literal('week'), weekdays: z.array(zWeekday).min(1).max(7) }),
    z.object({ every: z.literal('month'), day: z.int().min(1).max(31) }),
  ])
  .and(z.object({ time: zTime, zone: z.string().refine(isTimeZone) }));
export type Schedule = z.infer<typeof zSchedule>;

/** Letters and digits of any script, and dashes: it stands in the message's heading and footer. */
export const zDigestName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,31}$/u);

/** The first is the default: the best of a window is what got the most votes in it. */
export const SELECTIONS = [
  'votes',
  'score',
  'front',
  'interesting',
] as const satisfies readonly Order[];

/** The settings of a digest, as the guild's managers chose them. */
export const zDigest = z.object({
  channel: zSnowflake,
  schedule: zSchedule,
  count: z.int().min(1).max(MOST_ARTICLES).default(DEFAULT_COUNT),
  /** Where the articles come from; empty: everywhere in the guild. */
  groups: z.array(zSnowflake).max(25).default([]),
  selection: z.enum(SELECTIONS).default(SELECTIONS[0]),
  role: zSnowflake.nullable().default(null),
  /** Whether there is a message when no article qualifies. */
  postEmpty: z.boolean().default(false),
  /** In an announcement channel: whether each edition is published to the channel's followers. */
  publish: z.boolean().default(false),
  /** Whether it is posted without a notification. */
  silent: z.boolean().default(false),
  /** Slots up to here do not count: when the schedule was last changed. */
  slotsFromMs: zTimeMs.default(0),
  /** When anything was last changed. */
  savedAtMs: zTimeMs.default(0),
  /** Who is told when it cannot be posted. */
  savedBy: zSnowflake.nullable().default(null),
});
export type Digest = z.infer<typeof zDigest>;
export const storedDigest = stored('digests', zDigest);

/** Why something cannot be posted, and when it is tried again. */
const zBroken = z.object({
  reason: z.enum(REASONS),
  /** Permissions separated by commas, or Discord's own code. */
  detail: z.string().max(1000),
  sinceMs: zTimeMs,
  probeAtMs: zTimeMs,
});
export type Broken = z.infer<typeof zBroken>;

/** What happened to a digest so far; written by who holds the claim, never by a command. */
export const zRun = z.object({
  /** The last slot that was posted or skipped, and its local date. */
  lastSlotMs: zTimeMs.nullable().default(null),
  lastDate: z.iso.date().nullable().default(null),
  /** Why the slot that is due could not be posted; void once the settings are saved again. */
  broken: zBroken.nullable().default(null),
});
export type Run = z.infer<typeof zRun>;
export const storedRun = stored('runs', zRun);

export const NO_RUN: Run = zRun.parse({});

/** Remembered, because asking the runtime takes longer than all else of reading a digest. */
const timeZones = new Set<string>();
/** There are some six hundred, but any case will do. */
const REMEMBERED_AT_MOST = 2000;

/** Every zone that this runtime knows, aliases included. */
export function isTimeZone(zone: string): boolean {
  if (timeZones.has(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone }).format();
    if (timeZones.size < REMEMBERED_AT_MOST) timeZones.add(zone);
    return true;
  } catch {
    return false;
  }
}
