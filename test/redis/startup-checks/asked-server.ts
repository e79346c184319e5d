import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import { checkServer } from '../../../src/redis/startup-checks/check-server.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';

/** One for all tests of a file. */
export let server: TestRedis;
const connections: Redis[] = [];

/** Starts the server for a file's tests, and ends their connections after each. */
export function useServer(): void {
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());
  afterEach(() => {
    for (const redis of connections.splice(0)) redis.disconnect();
  });
}

export function connect(url: string, log = createLog('silent')): Redis {
  const redis = connectRedis(url, { log, name: 'test' });
  connections.push(redis);
  return redis;
}

/** What the check throws. */
export const refusalOf = (redis: Redis, answerWaitMs?: number) =>
  checkServer(redis, answerWaitMs).catch((error: unknown) => error);
