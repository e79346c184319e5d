import { z } from 'zod';

/** `daily` is the edition that `/digest` means when no name is given. */
export const DEFAULT_EDITION = 'daily';
export const EDITIONS_PER_GUILD = 20;
export const MOST_ARTICLES = 25;

const zSnowflake = z.string().regex(/^\d{1,20}$/);

/** ISO weekdays: 1 is Monday, 7 is Sunday. */
const zWeekday = z.int().min(1).max(7);

/** Local wall time in a zone. A day that a month does not have means the month's last day. */
export const zSchedule = z
  .discriminatedUnion('every', [
    z.object({ every: z.literal('day') }),
    z.object({ every: z.literal('week'), weekdays: z.array(zWeekday).min(1).max(7) }),
    z.object({ every: z.literal('month'), day: z.int().min(1).max(31) }),
  ])
  .and(
    z.object({
      time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
      zone: z.string().refine(isTimeZone),
    }),
  );
export type Schedule = z.infer<typeof zSchedule>;

/** Lower case letters and digits of any script, and dashes: it stands in the message's footer. */
export const zEditionName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,31}$/u);

export const SELECTIONS = ['score', 'front', 'votes', 'interesting'] as const;

/**
 * The settings of an edition, as the guild's managers chose them.
 * A value that cannot be read falls back to its default, except the two without which
 * nothing can be posted: the channel and the schedule.
 */
export const zEdition = z.object({
  channel: zSnowflake,
  schedule: zSchedule,
  count: z.int().min(1).max(MOST_ARTICLES).catch(10),
  /** Empty: everything in the guild. */
  groups: z.array(zSnowflake).max(25).catch([]),
  selection: z.enum(SELECTIONS).catch('score'),
  /** Net votes that an article needs; `adaptive` lets about `count` articles pass. */
  minimum: z
    .union([z.int().min(-1000).max(1_000_000), z.literal('adaptive')])
    .nullable()
    .catch(null),
  role: zSnowflake.nullable().catch(null),
  silent: z.boolean().catch(false),
  /** A thread for discussion is started from the message. */
  thread: z.boolean().catch(false),
  /** null: the guild's own language. */
  language: z.enum(['en', 'zh-CN']).nullable().catch(null),
  /** Whether a message is posted when no article qualifies. */
  postEmpty: z.boolean().catch(false),
  paused: z.boolean().catch(false),
  /** Slots count from here on: the last time that the schedule was saved or resumed. */
  savedAtMs: z.int().nonnegative().catch(0),
  /** Articles posted before this are not looked at: set when a paused edition resumes. */
  sinceFloorMs: z.int().nonnegative().catch(0),
  /** Who is told when the edition cannot be posted. */
  savedBy: zSnowflake.nullable().catch(null),
});
export type Edition = z.infer<typeof zEdition>;

/** What happened to an edition so far; written by the digest alone, never by a command. */
export const zRun = z.object({
  /** The last slot that was posted or skipped, and its local date. */
  lastSlotMs: z.int().nonnegative().nullable().catch(null),
  lastDate: z.string().nullable().catch(null),
  broken: z
    .object({ reason: z.string(), sinceMs: z.int(), probeAtMs: z.int(), told: z.boolean() })
    .nullable()
    .catch(null),
  /** The adaptive floor: net votes, as a running mean. */
  floor: z.number().nullable().catch(null),
  /** Net votes of the articles when they last stood in this edition. */
  featured: z.record(zSnowflake, z.int()).catch({}),
});
export type Run = z.infer<typeof zRun>;

/** Every IANA zone that this runtime knows, aliases included. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
