import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Redis } from 'ioredis';
import { createLog } from '../src/runtime/log.ts';
import { startPrivateServer } from '../src/redis/private-server/private-server.ts';
import { connectRedis } from '../src/redis/connection.ts';
import { parseInfo } from '../src/redis/server-info.ts';
import { openRanking, type Ranking } from '../src/ranking/ranking.ts';

export const APPLICATION = '1150000000000000001';

export type BenchServer = {
  url: string;
  /** For questions about the measured work, never for the work itself. */
  control: Redis;
  /** A connection as the bot makes it, ready for use. */
  connect(): Promise<Redis>;
  openRanking(): Promise<Ranking>;
  stop(): Promise<void>;
};

const log = createLog('error');

/** A private Redis as the bot starts its own, on the disk where the bot would have it. */
export async function startBenchServer(): Promise<BenchServer> {
  const parent = resolve('data');
  await mkdir(parent, { recursive: true });
  const dataDir = await mkdtemp(join(parent, 'bench-'));
  const server = await startPrivateServer({ dataDir, log });
  // A run that is ended early leaves nothing behind.
  const abandon = () => {
    process.kill(server.pid(), 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  const connections: Redis[] = [];
  async function connect(): Promise<Redis> {
    const redis = connectRedis(server.url, { log, name: 'bench' });
    connections.push(redis);
    await redis.ping();
    return redis;
  }
  const control = await connect();
  return {
    url: server.url,
    control,
    connect,
    openRanking: async () => openRanking({ redis: await connect(), applicationId: APPLICATION }),
    async stop() {
      process.off('exit', abandon);
      for (const redis of connections) redis.disconnect();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** One of the server's numbers, as INFO has it. */
export async function readInfo(redis: Redis, section: string): Promise<Map<string, string>> {
  return parseInfo(await redis.info(section));
}
