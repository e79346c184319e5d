import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';
import { cursorsAmong } from './history-cursors.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { readHash } from '../../redis/scan.ts';
import { holdLease, type Lease } from '../../redis/lease.ts';
import { openScript } from '../../redis/script.ts';
import type { Store } from '../../redis/store.ts';
import { parseStored } from '../../redis/parse-stored.ts';

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

const zStored = z.object({
  plan: zPlan,
  counts: zCounts,
  /** Of the dry run, once it is over. */
  found: zCounts,
  /** Channels and threads that may not be read. */
  unread: z.array(z.string()),
});

export type ImportState = z.infer<typeof zStored> & {
  run: string;
  phase: Phase;
  /** When its progress was last noted (ms). */
  atMs: number;
  /** Channel or thread to the newest message read there, or `END`. */
  cursors: Map<string, string>;
};

function stored({ plan, counts, found, unread }: ImportState): string {
  return JSON.stringify({ plan, counts, found, unread });
}

/** The guild's last import. Null for none, and, with a warning, for one that cannot be read. */
export async function readImport(store: Store, guild: Snowflake): Promise<ImportState | null> {
  const fields = Object.fromEntries(await readHash(store.redis, storeKeys(store, guild).import));
  const { run, phase, at, state } = fields;
  if (run === undefined) return null;
  const [kept, known] = [parseStored(zStored, state ?? ''), zPhase.safeParse(phase).data];
  if (kept === null || known === undefined) {
    store.log.warn({ guild }, 'The import that is stored cannot be read; it is left alone.');
    return null;
  }
  return { ...kept, run, phase: known, atMs: Number(at), cursors: cursorsAmong(fields) };
}

/** Begins an import with its dry run, in place of an earlier one. */
export async function beginImport(
  store: Store,
  guild: Snowflake,
  plan: Plan,
  now: number,
): Promise<ImportState> {
  const { import: key } = storeKeys(store, guild);
  const [counts, found] = [zCounts.parse({}), zCounts.parse({})];
  const progress = { plan, counts, found, unread: [], atMs: now, cursors: new Map() };
  const state: ImportState = { run: randomUUID(), phase: 'looking', ...progress };
  const { run, phase } = state;
  await store.redis
    .multi()
    .del(key)
    .hset(key, { run, phase, at: now, state: stored(state) })
    .exec();
  return state;
}

/** After 'lost' the work must end: nothing was noted. The phase says whether somebody cancelled it. */
export async function noteImport(
  store: Store,
  guild: Snowflake,
  lease: Lease,
  state: ImportState,
  now: number,
  read: { place: Snowflake; cursor: string } | null = null,
): Promise<{ status: 'noted'; phase: Phase } | { status: 'lost' }> {
  const { import: key } = storeKeys(store, guild);
  const cursor = read ? { [read.place]: read.cursor } : {};
  const fields = { state: stored(state), at: now, ...cursor };
  const { status } = await holdLease(store, lease, now, fields, key);
  if (status === 'lost') return { status };
  return { status: 'noted', phase: zPhase.parse(await store.redis.hget(key, 'phase')) };
}

const moveScript = openScript<['moved' | 'stale']>(import.meta.dirname, 'move-import');

/** Moves an import on from the phase of `state`. `stale`: somebody else was first. */
export async function moveImport(
  store: Store,
  guild: Snowflake,
  state: ImportState,
  to: Phase,
  now: number,
): Promise<{ status: 'moved' | 'stale' }> {
  const { import: key } = storeKeys(store, guild);
  // The import's progress is measured against the counts of the dry run.
  const begun = { ...state, counts: zCounts.parse({}), found: state.counts };
  const next = to === 'running' ? stored(begun) : '';
  const [status] = await moveScript(store.redis, key, state.run, state.phase, to, now, next);
  return { status };
}

/** The guilds among these whose import is running. */
export async function importsUnderWay(store: Store, guilds: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    guilds.map((guild) => store.redis.hget(storeKeys(store, guild).import, 'phase')),
  );
  return guilds.filter((_, i) => found[i] === 'running');
}
