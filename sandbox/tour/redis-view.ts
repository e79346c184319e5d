import { join } from 'node:path';
import { Redis } from 'ioredis';
import { snowflakeMs } from '../../discord-box/src/model/snowflakes.ts';
import { readRow } from './article/row.ts';

const VOTING_OPEN_MS = 604_800_000;
/** The mark of a guild that has none of its own. */
const USUAL_MARK = 200;

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

/** A line of the guild's list, best first. */
export type FrontLine = { id: string; title: string; net: number; closed: boolean };

export type Look = { status: 'found'; article: Ranked } | { status: 'unknown' | 'away' };

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
  const keyOf = (guild: string, name: string) => `frontpage:${applicationId}:{${guild}}:${name}`;
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

  return {
    halted: () => stopped !== null,
    async look(guild, id) {
      if (stopped !== null) return { status: 'away' };
      try {
        const redis = await connected();
        const keys = { row: keyOf(guild, 'articles'), score: keyOf(guild, 'score') };
        const [[row, mark], text, score, rank, of] = await Promise.all([
          redis.hmget(keys.row, id, 'mark'),
          redis.hget(keyOf(guild, 'texts'), id),
          redis.zscore(keys.score, id),
          redis.zrevrank(keys.score, id),
          redis.zcard(keys.score),
        ]);
        const article = row && readRow(row);
        if (!article || text === null) return { status: 'unknown' };
        const [, title = ''] = text.split('\n');
        const shown = { ...article, id, title, score: Number(score), keys, of };
        const place = rank === null ? null : rank + 1;
        const { up, closed, starred } = article;
        const interesting = closed ? starred : up >= (Number(mark) || USUAL_MARK);
        const closesAtMs = snowflakeMs(id) + VOTING_OPEN_MS;
        return { status: 'found', article: { ...shown, rank: place, interesting, closesAtMs } };
      } catch {
        return { status: 'away' };
      }
    },
    async front(guild, count) {
      if (stopped !== null) return [];
      try {
        const redis = await connected();
        const ids = await redis.zrevrange(keyOf(guild, 'score'), 0, count - 1);
        if (ids.length === 0) return [];
        const [rows, texts] = await Promise.all([
          redis.hmget(keyOf(guild, 'articles'), ...ids),
          redis.hmget(keyOf(guild, 'texts'), ...ids),
        ]);
        return ids.flatMap((id, at) => {
          const article = readRow(rows[at] ?? '');
          const [, title = ''] = texts[at]?.split('\n') ?? [];
          if (article === undefined) return [];
          return [{ id, title, net: article.up - article.down, closed: article.closed }];
        });
      } catch {
        return [];
      }
    },
    async isWhole(guild) {
      const [complete, rebuild] = [keyOf(guild, 'complete'), keyOf(guild, 'rebuild')];
      const asked = async (): Promise<boolean> => {
        const redis = await connected();
        return (await redis.exists(complete)) === 1 && (await redis.exists(rebuild)) === 0;
      };
      return asked().catch(() => false);
    },
    async nextDigestMs(guild) {
      const redis = await connected();
      const due = await redis.zrange(`frontpage:${applicationId}:due`, '0', '-1', 'WITHSCORES');
      const times = due.flatMap((member, at) =>
        at % 2 === 0 && isDigestOf(guild, member) ? [Number(due[at + 1])] : [],
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

/** A `!` marks what is due besides digests: the announcements of interesting articles. */
function isDigestOf(guild: string, dueMember: string): boolean {
  return dueMember.startsWith(`${guild}:`) && !dueMember.startsWith(`${guild}:!`);
}
