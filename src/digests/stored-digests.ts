import { type Digest, NO_RUN, type Run, storedDigest, storedRun } from './digest-settings.ts';
import type { Slot } from './schedule/slots.ts';
import type { Row } from '../due/kind.ts';
import { readFields } from '../redis/scan.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { expectDeletion } from '../community/lost-records.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

export type StoredDigest = { name: string; digest: Digest; run: Run };

/**
 * The guild's digests, `DIGESTS_PER_GUILD` at most, or those with these names. One whose settings cannot
 * be read is left out, and a run that cannot be read begins anew, both with a warning.
 */
export async function readDigests(
  { redis, log, ...store }: Store,
  guild: Snowflake,
  only?: readonly string[],
): Promise<StoredDigest[]> {
  const keys = storeKeys(store, guild);
  const names = only ?? (await redis.hkeys(keys.digests)).sort();
  const [digests, runs] = await Promise.all([
    readFields(redis, keys.digests, names),
    readFields(redis, keys.runs, names),
  ]);
  return names.flatMap((name) => {
    const json = digests.get(name);
    if (json === undefined) return [];
    const digest = storedDigest.read(json);
    const run = storedRun.read(runs.get(name) ?? '{}');
    const about = { guild, digest: name };
    if (!run) log.warn(about, 'What a digest has posted so far cannot be read.');
    if (!digest) log.warn(about, 'The settings of a digest cannot be read; it is not posted.');
    return digest ? [{ name, digest, run: run ?? NO_RUN }] : [];
  });
}

export async function readDigest(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<StoredDigest | null> {
  return (await readDigests(store, guild, [name]))[0] ?? null;
}

/** Replaces the settings; what happened so far stays. */
export async function saveDigest(
  store: Store,
  guild: Snowflake,
  name: string,
  digest: Digest,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).digests, name, storedDigest.write(digest));
}

export async function deleteDigest(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<{ status: 'deleted' | 'unknown' }> {
  const { digests, runs } = storeKeys(store, guild);
  const [deleted] = await Promise.all([
    store.redis.hdel(digests, name),
    store.redis.hdel(runs, name),
    expectDeletion(store, guild),
  ]);
  return { status: deleted === 1 ? 'deleted' : 'unknown' };
}

/** An edition that was under way when its digest was deleted has written the run once more. */
export async function forgetRunOfDeleted(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<void> {
  const { digests, runs } = storeKeys(store, guild);
  // Settings that cannot be read may be repaired.
  if ((await store.redis.hexists(digests, name)) === 0) await store.redis.hdel(runs, name);
}

/** The run after a slot is over, posted or not. */
export function over(run: Run, { atMs, date }: Slot): Run {
  return { ...run, lastSlotMs: atMs, lastDate: date, broken: null };
}

/** For a run from a file, and for one that lacks a slot that is over; otherwise only who has the claim writes it. */
export async function repairRun(
  store: Store,
  guild: Snowflake,
  name: string,
  run: Run,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).runs, name, storedRun.write(run));
}

/** The row of what is due that posts a digest. */
export function digestRow(name: string): Row {
  return `digest:${name}`;
}

/** The row of a guild's announcements of interesting articles. */
export const ANNOUNCE = 'announce';
