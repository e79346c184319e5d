import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { guildKeys } from '../../src/ranking/keys.ts';
import { type Article, decodeArticle } from '../../src/ranking/row.ts';
import { SCALE_FIELDS, scaleOf } from '../../src/ranking/rules.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import type { FrontLine, Look } from './panel-state.ts';

/** An edition of many parts takes about a second. */
const POSTED_WITHIN_MS = 5000;

/** The bot's own Redis, seen from the sandbox: it reads, and can make the server stand still. */
export type RedisView = {
  look(guild: string, article: string): Promise<Look>;
  /** The guild's best articles; none while Redis does not answer. */
  front(guild: string, count: number): Promise<FrontLine[]>;
  /** Whether the bot has found all that there was in a guild. */
  isWhole(guild: string): Promise<boolean>;
  /** When the guild's next digest is due; null: none is. */
  nextDigestMs(guild: string): Promise<number | null>;
  /** The server's process is halted or goes on, as on a hung machine. */
  halt(halted: boolean): Promise<void>;
  /** Forgets everything, as a server whose disk was lost. */
  empty(): Promise<void>;
  halted(): boolean;
  close(): Promise<void>;
};

/** Looks into the private server that a bot with this data folder runs, as soon as there is one. */
export function openRedisView(dataDir: string, applicationId: string): RedisView {
  let connection: Promise<Redis> | undefined;
  let stopped: number | null = null;

  async function connect(): Promise<Redis> {
    const redis = new Redis({
      path: join(dataDir, 'redis', 'redis.sock'),
      lazyConnect: true,
      commandTimeout: 1500,
      retryStrategy: null,
    });
    redis.on('error', () => {}); // The commands fail with it.
    redis.once('end', () => {
      connection = undefined;
    });
    await redis.connect();
    return redis;
  }
  function connected(): Promise<Redis> {
    connection ??= connect().catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  }

  /** Those of the articles that Redis has, in this order. */
  async function read(redis: Redis, guild: string, ids: string[]): Promise<Article[]> {
    const { articles, texts } = guildKeys({ applicationId }, guild);
    const [rows, words, fields] = await Promise.all([
      redis.hmget(articles, ...ids),
      redis.hmget(texts, ...ids),
      redis.hmget(articles, ...SCALE_FIELDS),
    ]);
    const scale = scaleOf(fields);
    return ids.flatMap((id, at) => decodeArticle(id, rows[at], words[at], scale) ?? []);
  }

  return {
    halted: () => stopped !== null,
    async look(guild, id) {
      if (stopped !== null) return { status: 'away' };
      try {
        const redis = await connected();
        const { articles, score } = guildKeys({ applicationId }, guild);
        const [[found], rank, of] = await Promise.all([
          read(redis, guild, [id]),
          redis.zrevrank(score, id),
          redis.zcard(score),
        ]);
        if (found === undefined) return { status: 'unknown' };
        const place = rank === null ? null : rank + 1;
        const keys = { row: articles, score };
        return { status: 'found', article: { ...found, rank: place, of, keys } };
      } catch {
        return { status: 'away' };
      }
    },
    async front(guild, count) {
      if (stopped !== null) return [];
      try {
        const redis = await connected();
        const { score } = guildKeys({ applicationId }, guild);
        const ids = await redis.zrevrange(score, 0, count - 1);
        if (ids.length === 0) return [];
        return (await read(redis, guild, ids)).map(({ id, title, up, down, score, closed }) => ({
          id,
          title,
          net: up - down,
          score,
          closed,
        }));
      } catch {
        return [];
      }
    },
    async isWhole(guild) {
      const { complete, rebuild } = storeKeys({ applicationId }, guild);
      const asked = async (): Promise<boolean> => {
        const redis = await connected();
        return (await redis.exists(complete)) === 1 && (await redis.exists(rebuild)) === 0;
      };
      return asked().catch(() => false);
    },
    async nextDigestMs(guild) {
      const redis = await connected();
      const { due } = storeKeys({ applicationId }, guild);
      let rows = await redis.zrange(due, '0', '-1', 'WITHSCORES');
      const deadline = performance.now() + POSTED_WITHIN_MS;
      // One that is being posted is held, and says when the next is due as soon as it stands.
      const isPosting = () => rows.some((row) => row.startsWith('held:digest:'));
      while (isPosting() && performance.now() < deadline) {
        await pause(50);
        rows = await redis.zrange(due, '0', '-1', 'WITHSCORES');
      }
      const times = rows.flatMap((row, at) =>
        at % 2 === 0 && row.startsWith('digest:') ? [Number(rows[at + 1])] : [],
      );
      return times.length === 0 ? null : Math.min(...times);
    },
    async halt(halted) {
      if (halted === (stopped !== null)) return;
      if (halted) {
        const redis = await connected();
        // Of the process that answers at our own bot's socket, and so never of another's.
        const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
        process.kill(pid, 'SIGSTOP');
        stopped = pid;
      } else if (stopped !== null) {
        process.kill(stopped, 'SIGCONT');
        stopped = null;
      }
    },
    async empty() {
      const redis = await connected();
      await redis.flushall();
    },
    async close() {
      if (stopped !== null) process.kill(stopped, 'SIGCONT');
      stopped = null;
      const open = await connection?.catch(() => undefined);
      open?.disconnect();
    },
  };
}
