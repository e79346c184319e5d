import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { createLog } from '../src/log.ts';
import { startPrivateServer } from '../src/redis/private-server/server.ts';
import { connectRedis } from '../src/redis/connection.ts';

export type TestRedis = {
  redis: Redis;
  /** For further connections with `connectRedis`. */
  url: string;
  flush(): Promise<void>;
  /** The server ends and starts again on the same data; resolves when `redis` is ready again. */
  restart(): Promise<void>;
  /** The server stands still, as on a hung machine, until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
};

const log = createLog('silent');

/** A private Redis for one test file, thrown away by `stop`. */
export async function startTestRedis(): Promise<TestRedis> {
  const dataDir = await mkdtemp(join(tmpdir(), 'frontpage-test-'));
  const server = await startPrivateServer({ dataDir, log, appendFsync: 'no' });
  const redis = connectRedis(server.url, { log, name: 'test' });
  // A bot gives up after 1.5 s, so that it answers in time; a test waits, however busy the machine is.
  redis.options.commandTimeout = 30_000;
  // A test run that is ended early leaves nothing behind.
  function discard(): void {
    process.kill(server.pid(), 'SIGKILL');
    rmSync(dirname(server.url), { recursive: true });
    rmSync(dataDir, { recursive: true });
  }
  process.once('exit', discard);
  return {
    redis,
    url: server.url,
    async flush() {
      await redis.flushall();
    },
    async restart() {
      const ready = new Promise((resolve) => redis.once('ready', resolve));
      process.kill(server.pid(), 'SIGKILL');
      await ready;
    },
    pause: () => void process.kill(server.pid(), 'SIGSTOP'),
    resume: () => void process.kill(server.pid(), 'SIGCONT'),
    async stop() {
      process.off('exit', discard);
      redis.disconnect();
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}
