import type { Cluster, Redis } from 'ioredis';
import { guildKeys } from '../../ranking/keys.ts';
import { type Chunk, FORMAT, type Line, openDigest, toText, type Total } from './format.ts';
import { storeKeys } from '../../redis/keys.ts';

/** Keys or members that one step reads, so that nobody waits long for it. */
const STEP = 1000;
/** A guild that changes while it is read is read again; the last time in one go. */
const TRIES = 5;

/** What serves for moments alone: who works at what, and what is made anew on use. */
const passing = /:(lease:[^:]+|fill-lock|filling|front|loudness|deploying|identify:\d+)$/;

export type BackupProgress = Total & { guilds: number; of: number };

/**
 * Everything that Frontpage keeps, as lines of a backup. Each guild is as it was at one instant;
 * guilds share nothing, so that they need not be of the same one. The bot goes on meanwhile.
 */
export async function* readBackup(
  redis: Redis | Cluster,
  now: number,
  onProgress: (progress: BackupProgress) => void = () => {},
): AsyncGenerator<string> {
  const digest = openDigest();
  const total: Total = { blocks: 0, keys: 0, values: 0 };
  const write = (line: Line): string => {
    const text = `${JSON.stringify(line)}\n`;
    digest.add(text);
    return text;
  };
  yield write({ format: FORMAT, madeAt: new Date(now).toISOString() });
  for (const node of mastersOf(redis)) {
    // Watching needs a connection that nobody else uses.
    const connection = node.duplicate();
    connection.on('error', () => {}); // The commands fail with it.
    try {
      const { blocks, words } = await findBlocks(connection);
      let guilds = 0;
      for (const [block, keys] of blocks) {
        for await (const line of readBlock(connection, block, keys, words, now)) {
          if ('block' in line) total.blocks += 1;
          if ('values' in line) {
            total.values += line.values.length;
            if (line.length !== undefined) total.keys += 1;
          }
          yield write(line);
        }
        guilds += 1;
        onProgress({ ...total, guilds, of: blocks.size });
      }
    } finally {
      connection.disconnect();
    }
  }
  yield `${JSON.stringify({ total, sha256: digest.digest() })}\n`;
}

function mastersOf(redis: Redis | Cluster): Redis[] {
  return 'nodes' in redis ? redis.nodes('master') : [redis];
}

/** The keys by block, and the words that stand before an id at the end of a key. */
async function findBlocks(
  node: Redis,
): Promise<{ blocks: Map<string, Set<string>>; words: Set<string> }> {
  const blocks = new Map<string, Set<string>>();
  const words = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await node.scan(cursor, 'MATCH', 'frontpage:*', 'COUNT', STEP);
    cursor = next;
    for (const key of keys) {
      if (passing.test(key)) continue;
      const [block = key] = /^frontpage:\d+:\{\d+\}:/.exec(key) ?? [];
      const [, word] = /\}:([a-z-]+:)\d+$/.exec(key) ?? [];
      if (word !== undefined) words.add(word);
      const known = blocks.get(block) ?? new Set();
      blocks.set(block, known.add(key));
    }
  } while (cursor !== '0');
  return { blocks, words };
}

async function* readBlock(
  node: Redis,
  block: string,
  scanned: Set<string>,
  words: ReadonlySet<string>,
  now: number,
): AsyncGenerator<Line> {
  for (let attempt = 1; ; attempt++) {
    yield { block };
    // A change of a guild's articles shows in these keys, also where it makes a new one.
    const watched = [...new Set([...fixedKeys(block), ...scanned])];
    for (let i = 0; i < watched.length; i += STEP) await node.watch(...watched.slice(i, i + STEP));
    const keys = [...scanned, ...(await newcomers(node, block, scanned, words))];
    if (attempt === TRIES) {
      await node.unwatch();
      yield* await readAtOnce(node, keys, now);
      yield { end: 'kept' };
      return;
    }
    for (const key of keys) yield* readKey(node, key, now);
    const isUnchanged = (await node.multi().ping().exec()) !== null;
    yield { end: isUnchanged ? 'kept' : 'void' };
    if (isUnchanged) return;
  }
}

/** Keys that came into being after the scan: those of open articles and of their groups. */
async function newcomers(
  node: Redis,
  block: string,
  scanned: ReadonlySet<string>,
  words: ReadonlySet<string>,
): Promise<string[]> {
  const open = await node.smembers(`${block}open`);
  const found: string[] = [];
  for (let i = 0; i < open.length; i += STEP) {
    const ids = open.slice(i, i + STEP);
    const rows = await node.hmgetBuffer(`${block}articles`, ...ids);
    const groups = rows.flatMap((row) => row?.toString('latin1').match(/\d{15,20}/g) ?? []);
    const names = [...words].flatMap((word) =>
      [...new Set([...ids, ...groups])].map((id) => `${block}${word}${id}`),
    );
    const unknown = names.filter((name) => !scanned.has(name));
    const pipeline = node.pipeline();
    for (const name of unknown) pipeline.exists(name);
    const present = (await pipeline.exec()) ?? [];
    found.push(...unknown.filter((_, at) => present[at]?.[1] === 1));
  }
  return [...new Set([...found, ...fixedKeys(block).filter((name) => !scanned.has(name))])];
}

/** The keys of a guild that there is one of each, whether they are there yet or not. */
function fixedKeys(block: string): string[] {
  const [, application, guild] = /^frontpage:(\d+):\{(\d+)\}:$/.exec(block) ?? [];
  if (application === undefined || guild === undefined) return [];
  const ranking = guildKeys(application, guild);
  return Object.values({ ...ranking, ...storeKeys(application, guild) })
    .filter((key) => typeof key === 'string')
    .filter((key) => key !== ranking.changes && key !== ranking.days && !passing.test(key));
}

async function* readKey(node: Redis, key: string, now: number): AsyncGenerator<Chunk> {
  const [type, leftMs] = await Promise.all([node.type(key), node.pttl(key)]);
  if (type === 'none') return;
  const first = leftMs >= 0 ? { endsAtMs: now + leftMs } : {};
  if (type === 'string') {
    const value = await node.getBuffer(key);
    if (value !== null) yield { key, type, length: 1, ...first, values: [toText(value)] };
    return;
  }
  if (type !== 'hash' && type !== 'set' && type !== 'zset') throw new UnknownType(key, type);
  const lengthOf = { hash: 'hlen', set: 'scard', zset: 'zcard' } as const;
  const length = await node[lengthOf[type]](key);
  let head: Partial<Chunk> = { length, ...first };
  let cursor = '0';
  do {
    const [next, members] = await scanStep(node, type, key, cursor);
    cursor = next;
    yield { key, type, ...head, values: members.map(toText) };
    head = {};
  } while (cursor !== '0');
}

async function scanStep(
  node: Redis,
  type: 'hash' | 'set' | 'zset',
  key: string,
  cursor: string,
): Promise<[string, Buffer[]]> {
  const command = { hash: 'hscanBuffer', set: 'sscanBuffer', zset: 'zscanBuffer' } as const;
  const [next, members] = await node[command[type]](key, cursor, 'COUNT', STEP);
  return [String(next), members];
}

/** One guild that never stands still: all its keys in one transaction. */
async function readAtOnce(node: Redis, keys: readonly string[], now: number): Promise<Chunk[]> {
  const types = await Promise.all(keys.map((key) => node.type(key)));
  const multi = node.multi();
  for (const [i, key] of keys.entries()) {
    multi.pttl(key);
    if (types[i] === 'string') multi.getBuffer(key);
    else if (types[i] === 'hash') multi.hgetallBuffer(key);
    else if (types[i] === 'set') multi.smembersBuffer(key);
    else if (types[i] === 'zset') multi.zrangeBuffer(key, '0', '-1', 'WITHSCORES');
    else multi.ping();
  }
  const replies = ((await multi.exec()) ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  return keys.flatMap((key, i): Chunk[] => {
    const type = types[i] as Chunk['type'] | 'none';
    const reply = replies[2 * i + 1];
    const leftMs = replies[2 * i] as number;
    if (type === 'none' || reply === null) return [];
    const values = flat(reply);
    const length = type === 'string' || type === 'set' ? values.length : values.length / 2;
    if (length === 0) return [];
    const ends = leftMs >= 0 ? { endsAtMs: now + leftMs } : {};
    return [{ key, type, length, ...ends, values: values.map(toText) }];
  });
}

function flat(reply: unknown): Buffer[] {
  if (Buffer.isBuffer(reply)) return [reply];
  if (Array.isArray(reply)) return (reply as (Buffer | Buffer[])[]).flat();
  return Object.entries(reply as Record<string, Buffer>).flatMap(([field, value]) => [
    Buffer.from(field),
    value,
  ]);
}

class UnknownType extends Error {
  constructor(key: string, type: string) {
    super(`The key ${key} is a ${type}, which no version of Frontpage has written.`);
  }
}
