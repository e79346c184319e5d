import { createLog } from '../../src/log.ts';
import { dueKey, storeKeys } from '../../src/redis/keys.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { findPrivateServer } from '../../src/redis/private-server/server.ts';
import { readArticle } from '../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { openRanking } from '../../src/ranking/ranking.ts';

/** An article as Redis has it. */
export type Ranked = {
  id: string;
  title: string;
  score: number;
  up: number;
  down: number;
  /** From 1; null for an article that is not in the guild's lists. */
  rank: number | null;
  of: number;
  closesAtMs: number;
  interesting: boolean;
  closed: boolean;
  groups: string[];
  /** What redis-cli would be asked. */
  keys: { row: string; score: string };
};

export type Look = { status: 'found'; article: Ranked } | { status: 'unknown' | 'away' };

/** The bot's own Redis, seen from the sandbox: it reads, and can make the server stand still. */
export type RedisSide = {
  look(guild: string, article: string): Promise<Look>;
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

type Connection = ReturnType<typeof connectRedis>;

/** Looks into the private server that a bot with this data folder runs, as soon as there is one. */
export function openRedisSide(dataDir: string, applicationId: string): RedisSide {
  let connection: Promise<Connection> | undefined;
  let stopped: number | null = null;

  async function connect(): Promise<Connection> {
    const url = await findPrivateServer(dataDir);
    if (url === null) throw new Error('There is no Redis yet.');
    const redis = connectRedis(url, { log: createLog('silent'), name: 'sandbox' });
    return redis;
  }
  function connected(): Promise<Connection> {
    connection ??= connect().catch((error: unknown) => {
      connection = undefined;
      throw error;
    });
    return connection;
  }

  return {
    halted: () => stopped !== null,
    async look(guild, id) {
      if (stopped !== null) return { status: 'away' };
      try {
        const redis = await connected();
        const ranking = openRanking(redis, applicationId);
        const keys = guildKeys(applicationId, guild);
        const [article, rank, of] = await Promise.all([
          readArticle(ranking, guild, id),
          redis.zrevrank(keys.score, id),
          redis.zcard(keys.score),
        ]);
        if (article === null) return { status: 'unknown' };
        const { title, score, up, down, closesAtMs, interesting, closed, groups } = article;
        const shown = { id, title, score, up, down, closesAtMs, interesting, closed, groups };
        const place = rank === null ? null : rank + 1;
        const asked = { row: keys.articles, score: keys.score };
        return { status: 'found', article: { ...shown, rank: place, of, keys: asked } };
      } catch {
        return { status: 'away' };
      }
    },
    async isWhole(guild) {
      const { born, rebuild } = storeKeys(applicationId, guild);
      const asked = async (): Promise<boolean> => {
        const redis = await connected();
        return (await redis.exists(born)) === 1 && (await redis.exists(rebuild)) === 0;
      };
      return asked().catch(() => false);
    },
    async nextDigestMs(guild) {
      const redis = await connected();
      const due = await redis.zrange(dueKey(applicationId), '0', '-1', 'WITHSCORES');
      const times = due.flatMap((member, at) =>
        at % 2 === 0 && member.startsWith(`${guild}:`) ? [Number(due[at + 1])] : [],
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
