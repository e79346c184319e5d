import type { Cluster, Redis } from 'ioredis';
import { type Chunk, type Line, openDigest, toBytes, type Total, zHead, zLine } from './format.ts';

/** A backup that is not whole, or none at all. Nothing has been written. */
export class BrokenBackup extends Error {
  override readonly name = 'BrokenBackup';
}

export type CheckedBackup = {
  madeAt: string;
  total: Total;
  /** The schema's version by application, where it says one. */
  schemas: Map<string, number>;
  /** By number, from 0: the blocks that count. */
  kept: Set<number>;
};

/** Reads a backup to its end before anything rests on it. Throws `BrokenBackup`. */
export async function checkBackup(lines: AsyncIterable<string>): Promise<CheckedBackup> {
  const digest = openDigest();
  const total: Total = { blocks: 0, keys: 0, values: 0 };
  const schemas = new Map<string, number>();
  const kept = new Set<number>();
  let madeAt: string | null = null;
  let isOpen = false;
  let tail: { total: Total; sha256: string } | null = null;
  try {
    for await (const text of lines) {
      if (tail !== null) throw new BrokenBackup('Something follows its end.');
      const line: Line = madeAt === null ? zHead.parse(parse(text)) : zLine.parse(parse(text));
      if ('sha256' in line) {
        tail = line;
        continue;
      }
      digest.add(`${text}\n`);
      if ('format' in line) madeAt = line.madeAt;
      else if ('block' in line) {
        if (isOpen) throw new BrokenBackup('A part of it is not ended.');
        isOpen = true;
        total.blocks += 1;
      } else if ('end' in line) {
        if (line.end === 'kept') kept.add(total.blocks - 1);
        isOpen = false;
      } else {
        total.values += line.values.length;
        if (line.length !== undefined) total.keys += 1;
        const [, application] = /^frontpage:(\d+):schema$/.exec(line.key) ?? [];
        if (application !== undefined) schemas.set(application, Number(line.values[0]));
      }
    }
  } catch (error) {
    if (error instanceof BrokenBackup) throw error;
    throw new BrokenBackup(`It cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
  if (tail === null || madeAt === null || isOpen) throw new BrokenBackup('Its end is missing.');
  if (tail.sha256 !== digest.digest() || JSON.stringify(tail.total) !== JSON.stringify(total)) {
    throw new BrokenBackup('It is not what was written: its sum is wrong.');
  }
  return { madeAt, total, schemas, kept };
}

function parse(text: string): unknown {
  return JSON.parse(text) as unknown;
}

/** Whether there is anything of Frontpage's that a restore would mix with. */
export async function holdsData(redis: Redis | Cluster): Promise<boolean> {
  for await (const keys of ownKeys(redis)) if (keys.length > 0) return true;
  return false;
}

/** Whether a bot of ours, and not merely a command line, has a connection. */
export async function isBotConnected(redis: Redis | Cluster): Promise<boolean> {
  for (const node of mastersOf(redis)) {
    const clients = String(await node.client('LIST').catch(() => ''));
    if (/\bname=frontpage /.test(clients)) return true;
  }
  return false;
}

export async function deleteData(redis: Redis | Cluster): Promise<void> {
  for await (const keys of ownKeys(redis)) {
    // One by one: in a cluster they are of many slots.
    await Promise.all(keys.map((key) => redis.unlink(key)));
  }
}

function mastersOf(redis: Redis | Cluster): Redis[] {
  return 'nodes' in redis ? redis.nodes('master') : [redis];
}

async function* ownKeys(redis: Redis | Cluster): AsyncGenerator<string[]> {
  for (const node of mastersOf(redis)) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', 'frontpage:*', 'COUNT', 1000);
      cursor = next;
      yield keys;
    } while (cursor !== '0');
  }
}

/**
 * Writes a backup that was checked into a Redis that holds nothing of Frontpage's, and compares the
 * length of each key with what it was. `now`: what had ended by then is left out.
 */
export async function writeBackup(
  redis: Redis | Cluster,
  lines: AsyncIterable<string>,
  { kept }: CheckedBackup,
  now: number,
  onProgress: (written: { keys: number; values: number }) => void = () => {},
): Promise<{ keys: number }> {
  let block = -1;
  const written = { keys: 0, values: 0 };
  let last: Chunk | null = null;
  const inFlight: Promise<void>[] = [];
  const hold = async (work: Promise<void>): Promise<void> => {
    // Whoever awaits it below hears of its failure.
    work.catch(() => {});
    inFlight.push(work);
    if (inFlight.length > IN_FLIGHT) await inFlight.shift();
  };
  for await (const text of lines) {
    const line = zLine.parse(parse(text));
    if ('block' in line) block += 1;
    if (!('values' in line)) continue;
    if (!kept.has(block)) continue;
    if (line.length !== undefined) {
      await hold(finish(redis, last));
      last = line.endsAtMs !== undefined && line.endsAtMs <= now ? null : line;
      written.keys += last === null ? 0 : 1;
    }
    if (last === null) continue;
    await hold(write(redis, line));
    written.values += line.values.length;
    onProgress(written);
  }
  await finish(redis, last);
  await Promise.all(inFlight);
  return { keys: written.keys };
}

/** So many chunks are on their way at once: a key's own arrive in their order all the same. */
const IN_FLIGHT = 32;

async function write(redis: Redis | Cluster, { key, type, values }: Chunk): Promise<void> {
  if (values.length === 0) return;
  const bytes = values.map(toBytes);
  if (type === 'string') await redis.set(key, bytes[0]!);
  else if (type === 'set') await redis.sadd(key, ...bytes);
  else if (type === 'hash') await redis.hset(key, ...bytes);
  else {
    // The scan tells the member first, and ZADD wants the score first.
    const pairs = bytes.flatMap((member, i) => (i % 2 === 0 ? [bytes[i + 1]!, member] : []));
    await redis.zadd(key, ...pairs);
  }
}

/** A key is done with when the next one begins. */
async function finish(redis: Redis | Cluster, chunk: Chunk | null): Promise<void> {
  if (chunk === null) return;
  const { key, type, length, endsAtMs } = chunk;
  const [present] = await Promise.all([
    {
      string: () => redis.exists(key),
      set: () => redis.scard(key),
      hash: () => redis.hlen(key),
      zset: () => redis.zcard(key),
    }[type](),
    endsAtMs === undefined ? null : redis.pexpireat(key, endsAtMs),
  ]);
  if (present !== length) {
    throw new Error(`The key ${key} has ${present} entries, and should have ${length}.`);
  }
}
