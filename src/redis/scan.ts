import type { Cluster, Redis } from 'ioredis';

/** One step takes about half a millisecond of the server. */
const STEP = 1000;

/**
 * A hash in bounded steps, for sizes that members, moderators or files decide: a command that reads a
 * large hash whole would delay every guild. What is there during the whole scan is found, and may be
 * found twice.
 */
export async function* scanHash(
  redis: Redis,
  key: string,
  /** Of the fields; by default all. */
  match = '*',
): AsyncGenerator<[field: string, value: string]> {
  const pages: AsyncIterable<string[]> = redis.hscanStream(key, { count: STEP, match });
  for await (const page of pages) yield* pairs(page);
}

/** As `scanHash`, into a map. */
export async function readHash(
  redis: Redis,
  key: string,
  match?: string,
): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for await (const [field, value] of scanHash(redis, key, match)) all.set(field, value);
  return all;
}

/** A set in pages of bounded steps, as `scanHash`. */
export function scanSet(redis: Redis, key: string): AsyncIterable<string[]> {
  return redis.sscanStream(key, { count: STEP });
}

/** As `scanSet`, into one set. */
export async function readSet(redis: Redis, key: string): Promise<Set<string>> {
  const all = new Set<string>();
  for await (const page of scanSet(redis, key)) for (const member of page) all.add(member);
  return all;
}

/** The members of a sorted set, as `scanSet`. */
export async function* scanSortedSet(
  redis: Redis,
  key: string,
  step = STEP,
): AsyncGenerator<string[]> {
  const pages: AsyncIterable<string[]> = redis.zscanStream(key, { count: step });
  for await (const page of pages) yield pairs(page).map(([member]) => member);
}

/** The keys of one server that match a pattern, as `scanSet`. */
export async function* scanKeys(redis: Redis, pattern: string): AsyncGenerator<string[]> {
  const pages: AsyncIterable<string[]> = redis.scanStream({ match: pattern, count: STEP });
  for await (const keys of pages) if (keys.length > 0) yield keys;
}

/** Deletes the keys that begin like this, which share a hash tag, in bounded steps. */
export async function deleteKeys(redis: Redis, prefix: string): Promise<void> {
  // All keys of a tag are on one node of a cluster; which one, the driver does not say.
  const nodes = redis.isCluster ? (redis as unknown as Cluster).nodes('master') : [redis];
  for (const node of nodes) {
    for await (const keys of scanKeys(node, `${prefix}*`)) await node.unlink(...keys);
  }
}

/** These fields of a hash, without those that it lacks, in bounded steps. */
export async function readFields(
  redis: { hmget(key: string, ...fields: string[]): Promise<(string | null)[]> },
  key: string,
  fields: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let i = 0; i < fields.length; i += STEP) {
    const some = fields.slice(i, i + STEP);
    const values = await redis.hmget(key, ...some);
    for (const [j, value] of values.entries()) if (value !== null) found.set(some[j]!, value);
  }
  return found;
}

/** Redis sends a hash, and members with their scores, as one flat list. */
export function pairs(flat: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) found.push([flat[i]!, flat[i + 1]!]);
  return found;
}
