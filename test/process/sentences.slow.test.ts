import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findServerBinary } from '../../src/redis/private-server/binary.ts';
import { type Run, runFrontpage } from '../fixtures/bot-process.ts';
import { freePort } from '../fixtures/cluster.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

let folder: string;
let redis: TestRedis;
const runs: Run[] = [];
beforeAll(async () => {
  [folder, redis] = await Promise.all([
    mkdtemp(join(tmpdir(), 'frontpage-sentences-')),
    startTestRedis(),
  ]);
});
afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.end()));
});
afterAll(async () => {
  await redis.stop();
  await rm(folder, { recursive: true });
});

/** Runs the bot in the folder, where no answer of Discord is needed. */
async function refused(environment: Record<string, string>) {
  const usual = { DISCORD_TOKEN: 'abc', DISCORD_API_BASE: 'http://127.0.0.1:1/api' };
  const run = runFrontpage({ ...usual, ...environment }, { folder });
  runs.push(run);
  return { code: await run.code, said: run.said() };
}

test('the image without REDIS_URL says that it holds no Redis, and not that DATA_DIR is wrong', async () => {
  const { code, said } = await refused({ FRONTPAGE_IMAGE: 'yes' });
  expect(code).toBe(78);
  expect(said).toContain('REDIS_URL is missing, and this image holds no Redis');
  expect(said).not.toContain('DATA_DIR');
});

test.each(['redis://user:12secret#34@host', 'redis://:my@secret#ord@host'])(
  'the program says nothing of the password in %s, as .env has it',
  async (address) => {
    await writeFile(join(folder, '.env'), `REDIS_URL=${address}\n`);
    const { code, said } = await refused({});
    await rm(join(folder, '.env'));
    expect(code).toBe(78);
    expect(said).toContain('REDIS_URL has a # that ends it');
    expect(said).not.toMatch(/secret|12#?3|my@/);
  },
);

test('a Sentinel that is given as redis:// is called one, and an unused proxy is named', async () => {
  const { command, argv0 } = findServerBinary();
  const port = await freePort();
  const config = join(folder, 'sentinel.conf');
  await writeFile(config, `bind 127.0.0.1\nport ${port}\ndir ${folder}\n`);
  const sentinel = spawn(command, [config, '--sentinel'], { argv0 });
  const ended = once(sentinel, 'exit');
  let output = '';
  sentinel.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await expect.poll(() => output).toContain('Sentinel ID is');
  const { code, said } = await refused({
    REDIS_URL: `redis://127.0.0.1:${port}`,
    https_proxy: 'http://user:secret@proxy.example:3128',
  });
  sentinel.kill();
  await ended;
  expect(code).toBe(78);
  expect(said).toContain(
    'REDIS_URL names a Sentinel, which keeps no data: write redis+sentinel://',
  );
  expect(said).toMatch(
    /https_proxy is set, and Discord is reached without it: .*NODE_USE_ENV_PROXY=1/,
  );
  expect(said).not.toContain('secret');
});

test('a Redis that answers and refuses is not said to be unreachable', async () => {
  await redis.redis.config('SET', 'requirepass', 'right');
  const { code, said } = await refused({ REDIS_URL: redis.url });
  await redis.redis.config('SET', 'requirepass', '');
  expect(code).toBe(78);
  expect(said).toContain('Redis answers, and refuses the connection.');
  expect(said).toContain('Redis asks for a password, and REDIS_URL has none');
  expect(said).not.toContain('cannot be reached');
});
