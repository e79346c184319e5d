import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';
import { cursorsAmong } from './history-cursors.ts';
import { storeKeys } from '../../redis/keys.ts';
import { readHash } from '../../redis/scan.ts';
import { holdLease, type Lease } from '../../redis/lease.ts';
import { openScript } from '../../redis/scripts.ts';
import type { Store } from '../../redis/store.ts';

/** The scope of an import: a channel with its threads, from one time (ms) to another, exclusive. */
const zPlan = z.object({
  channel: zSnowflake,
  by: zSnowflake,
  fromMs: z.int(),
  untilMs: z.int(),
});
export type Plan = z.infer<typeof zPlan>;

/** What an import makes of a message. */
export const FATES = [
  /** An article; in a dry run, what would become one. */
  'imported',
  /** It was an article before this import, or the message of one. */
  'known',
  /** The link has an article already, perhaps of an earlier message of the same history. */
  'duplicate',
  /** Voting would still be open. */
  'young',
  'bot',
  'linkless',
  /** None of its links can be posted. */
  'refused',
  /** The guild has blocked the member or the link, or the member wants to be left out. */
  'unwanted',
  /** It was imported once, and removed or erased since. */
  'removed',
  /** Its reactions could not be read as a whole; another import tries again. */
  'unreadable',
] as const;
export type Fate = (typeof FATES)[number];

const zCount = z.int().nonnegative().default(0);
const zCounts = z.object({
  messages: zCount,
  /** Messages among the imported ones whose reactions are to be read. */
  voted: zCount,
  ...(Object.fromEntries(FATES.map((fate) => [fate, zCount])) as Record<Fate, typeof zCount>),
});
export type Counts = z.infer<typeof zCounts>;

const zPhase = z.enum(['looking', 'looked', 'left', 'running', 'finished', 'cancelled']);
/**
 * `looking` is the dry run; after it, an admin decides whether to go on. `left` ended without anything
 * imported, `cancelled` in the middle; articles imported by then stay.
 */
type Phase = z.infer<typeof zPhase>;

export type ImportState = {
  run: string;
  phase: Phase;
  plan: Plan;
  counts: Counts;
  /** Of the dry run, once it is over. */
  found: Counts;
  /** When its progress was last noted (ms). */
  atMs: number;
  /** Channel or thread to the newest message read there, or `END`. */
  cursors: Map<string, string>;
  /** Channels and threads that may not be read. */
  unread: string[];
};

export function noCounts(): Counts {
  return zCounts.parse({});
}

const zStored = z.object({
  run: z.string().min(1),
  phase: zPhase,
  plan: json(zPlan),
  counts: json(zCounts),
  found: json(zCounts),
  at: z.coerce.number().pipe(z.int()),
  unread: z
    .string()
    .default('')
    .transform((ids) => ids.split(' ').filter(Boolean)),
});

function json<T>(schema: z.ZodType<T>) {
  return z
    .string()
    .default('{}')
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'is no JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** The guild's last import. Null for none, and, with a warning, for one that cannot be read. */
export async function readImport(store: Store, guild: Snowflake): Promise<ImportState | null> {
  const stored = Object.fromEntries(await readHash(store.redis, storeKeys(store, guild).import));
  if (Object.keys(stored).length === 0) return null;
  const parsed = zStored.safeParse(stored);
  if (!parsed.success) {
    store.log.warn({ guild }, 'The import that is stored cannot be read; it is left alone.');
    return null;
  }
  const { at, ...state } = parsed.data;
  return { ...state, atMs: at, cursors: cursorsAmong(stored) };
}

/** Begins an import with its dry run, in place of an earlier one. Returns the id of the run. */
export async function beginImport(
  store: Store,
  guild: Snowflake,
  plan: Plan,
  now: number,
): Promise<string> {
  const { import: key } = storeKeys(store, guild);
  const run = randomUUID();
  const state = { run, phase: 'looking', plan: JSON.stringify(plan), at: now };
  await store.redis.multi().del(key).hset(key, state).exec();
  return run;
}

/** After 'lost' the work must end: nothing was noted. The phase says whether somebody cancelled it. */
export async function noteImport(
  store: Store,
  guild: Snowflake,
  lease: Lease,
  note: { place?: string; cursor?: string; counts: Counts; unread?: readonly string[] },
  now: number,
): Promise<{ status: 'noted'; phase: Phase } | { status: 'lost' }> {
  const { import: key } = storeKeys(store, guild);
  const { place, cursor = '', counts, unread } = note;
  const fields = {
    counts: JSON.stringify(counts),
    at: now,
    ...(place ? { [place]: cursor } : {}),
    ...(unread ? { unread: unread.join(' ') } : {}),
  };
  const { status } = await holdLease(store, lease, now, fields, key);
  if (status === 'lost') return { status };
  return { status: 'noted', phase: zPhase.parse(await store.redis.hget(key, 'phase')) };
}

const moveScript = openScript<['moved' | 'stale']>(import.meta.dirname, 'move-import');

/** `stale`: somebody else was first. */
export async function moveImport(
  store: Store,
  guild: Snowflake,
  move: { run: string; from: Phase; to: Phase },
  now: number,
): Promise<{ status: 'moved' | 'stale' }> {
  const { import: key } = storeKeys(store, guild);
  const [status] = await moveScript(store.redis, key, move.run, move.from, move.to, now);
  return { status };
}

/** The guilds among these whose import is running. */
export async function importsUnderWay(store: Store, guilds: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    guilds.map((guild) => store.redis.hget(storeKeys(store, guild).import, 'phase')),
  );
  return guilds.filter((_, i) => found[i] === 'running');
}
