import { type Digest, NO_RUN, type Run, zDigest, zRun } from './digest-settings.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';
import { expectDeletion } from '../lost-records.ts';
import { parseStored } from '../../redis/parse-stored.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

export type StoredDigest = { name: string; digest: Digest; run: Run };

export async function readDigests(store: Store, guild: Snowflake): Promise<StoredDigest[]> {
  const keys = storeKeys(store, guild);
  // A guild has `DIGESTS_PER_GUILD` at most.
  const digests = await store.redis.hgetall(keys.digests);
  const names = Object.keys(digests).sort();
  const runs = names.length > 0 ? await store.redis.hmget(keys.runs, ...names) : [];
  return names.flatMap((name, i) => stored(store, guild, name, digests[name], runs[i]) ?? []);
}

export async function readDigest(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<StoredDigest | null> {
  const keys = storeKeys(store, guild);
  const [digest, run] = await Promise.all([
    store.redis.hget(keys.digests, name),
    store.redis.hget(keys.runs, name),
  ]);
  return stored(store, guild, name, digest, run);
}

/** Replaces the settings; what happened so far stays. */
export async function saveDigest(
  store: Store,
  guild: Snowflake,
  name: string,
  digest: Digest,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).digests, name, JSON.stringify(digest));
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

/** For a run from a file; otherwise only the process with the claim writes it. */
export async function repairRun(
  store: Store,
  guild: Snowflake,
  name: string,
  run: Run,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).runs, name, JSON.stringify(run));
}

/** Null, with a warning, if the settings cannot be read. A run that cannot be read begins anew. */
function stored(
  { log }: Store,
  guild: Snowflake,
  name: string,
  digestJson: string | null | undefined,
  runJson: string | null | undefined,
): StoredDigest | null {
  if (!digestJson) return null;
  const digest = parseStored(zDigest, digestJson);
  const run = runJson ? parseStored(zRun, runJson) : NO_RUN;
  if (!run) log.warn({ guild, digest: name }, 'What a digest has posted so far cannot be read.');
  if (digest) return { name, digest, run: run ?? NO_RUN };
  log.warn({ guild, digest: name }, 'The settings of a digest cannot be read; it is not posted.');
  return null;
}
