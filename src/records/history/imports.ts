import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';
import { cursorsAmong } from './history-cursors.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { readHash } from '../../redis/scan.ts';
import { holdLease, type Lease, LeaseLost } from '../../redis/lease.ts';
import type { Store } from '../../redis/store.ts';
import { parseStored } from '../../redis/parse-stored.ts';

/** The scope of an import: a channel with its threads, from one time (ms) to another, exclusive. */
const zPlan = z.object({
  channel: zSnowflake,
  fromMs: z.int(),
  untilMs: z.int(),
});
export type Plan = z.infer<typeof zPlan>;

/** What an import makes of a message. */
export const FATES = [
  'imported',
  /** It was an article already, or the message of one. */
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
  ...(Object.fromEntries(FATES.map((fate) => [fate, zCount])) as Record<Fate, typeof zCount>),
});
export type Counts = z.infer<typeof zCounts>;

/** `cancelled`: in the middle; articles imported by then stay. */
const zPhase = z.enum(['running', 'finished', 'cancelled']);

const zStored = z.object({
  plan: zPlan,
  counts: zCounts,
  /** Channels and threads that may not be read. */
  unread: z.array(z.string()),
});

export type ImportState = z.infer<typeof zStored> & {
  phase: z.infer<typeof zPhase>;
  /** Channel or thread to the newest message read there, or `END`. */
  cursors: Map<string, string>;
};

function stored({ plan, counts, unread }: ImportState): string {
  return JSON.stringify({ plan, counts, unread });
}

/** The guild's last import. Null for none, and, with a warning, for one that cannot be read. */
export async function readImport(store: Store, guild: Snowflake): Promise<ImportState | null> {
  const fields = Object.fromEntries(await readHash(store.redis, storeKeys(store, guild).import));
  const { phase, state } = fields;
  if (phase === undefined) return null;
  const [kept, known] = [parseStored(zStored, state ?? ''), zPhase.safeParse(phase).data];
  if (kept === null || known === undefined) {
    store.log.warn({ guild }, 'The import that is stored cannot be read; it is left alone.');
    return null;
  }
  return { ...kept, phase: known, cursors: cursorsAmong(fields) };
}

/** Begins an import in place of an earlier one. */
export async function beginImport(
  store: Store,
  guild: Snowflake,
  plan: Plan,
): Promise<ImportState> {
  const { import: key } = storeKeys(store, guild);
  const counts = zCounts.parse({});
  const state: ImportState = { phase: 'running', plan, counts, unread: [], cursors: new Map() };
  await store.redis
    .multi()
    .del(key)
    .hset(key, { phase: state.phase, state: stored(state) })
    .exec();
  return state;
}

/** Stores the progress, and returns the phase: somebody may have cancelled the import. Throws `LeaseLost`. */
export async function noteImport(
  store: Store,
  guild: Snowflake,
  lease: Lease,
  state: ImportState,
  now: number,
  cursor: Record<Snowflake, string> = {},
): Promise<ImportState['phase']> {
  const { import: key } = storeKeys(store, guild);
  const { status } = await holdLease(store, lease, now, { state: stored(state), ...cursor }, key);
  if (status === 'lost') throw new LeaseLost('The import went to another process.');
  return zPhase.parse(await store.redis.hget(key, 'phase'));
}

/** Ends a running import. The process that runs it notices that at its next message. */
export async function endImport(
  store: Store,
  guild: Snowflake,
  phase: 'finished' | 'cancelled',
): Promise<{ status: 'ended' | 'over' }> {
  if ((await importsUnderWay(store, [guild])).length === 0) return { status: 'over' };
  await store.redis.hset(storeKeys(store, guild).import, 'phase', phase);
  return { status: 'ended' };
}

/** The guilds among these whose import is running. */
export async function importsUnderWay(store: Store, guilds: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    guilds.map((guild) => store.redis.hget(storeKeys(store, guild).import, 'phase')),
  );
  return guilds.filter((_, i) => found[i] === 'running');
}
