import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeEach } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import {
  type PrivateServer,
  startPrivateServer,
} from '../../../src/redis/private-server/private-server.ts';
import { createLog, type Log } from '../../../src/runtime/log.ts';

export const log = createLog('silent');
/** Each test has its own. */
export let dataDir: string;
/** What is done after a test, the last first. */
export let cleanup: (() => unknown)[];
/** Warnings and errors, as the host reads them. */
export let listening: Log;
export let said: () => string;

/** Makes the folder before each test of a file, and cleans up after it. */
export function useDataFolder(): void {
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'frontpage-test-'));
    cleanup = [() => rmSync(dataDir, { recursive: true })];
    let lines = '';
    listening = pino({ level: 'warn' }, { write: (line: string) => void (lines += line) });
    said = () => lines;
  });
  afterEach(async () => {
    for (const step of cleanup.toReversed()) await step();
  });
}

type Wanted = Omit<Parameters<typeof startPrivateServer>[0], 'dataDir' | 'log'> & { heard?: Log };

export async function start(
  folder = dataDir,
  { heard = log, appendFsync = 'no', ...more }: Wanted = {},
): Promise<PrivateServer> {
  const server = await startPrivateServer({ dataDir: folder, log: heard, appendFsync, ...more });
  cleanup.push(() => server.stop());
  return server;
}

export function connect(url: string): Redis {
  const redis = connectRedis(url, { log, name: 'test' });
  // A bot gives up after 1.5 s; a test waits, however busy the machine is.
  redis.options.commandTimeout = 30_000;
  cleanup.push(() => redis.disconnect());
  return redis;
}
