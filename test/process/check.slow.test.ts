import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Community, startCommunity } from '../../discord-box/test/community.ts';
import { HOUR_MS } from '../../src/runtime/clock.ts';
import { runFrontpage } from '../fixtures/bot-process.ts';
import { freePort } from '../fixtures/cluster.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

let sandbox: Community;
let redis: TestRedis;
let folder: string;
beforeAll(async () => {
  [sandbox, redis, folder] = await Promise.all([
    startCommunity({ rateLimits: false }),
    startTestRedis(),
    mkdtemp(join(tmpdir(), 'frontpage-check-')),
  ]);
});
afterAll(async () => {
  await Promise.all([sandbox.stop(), redis.stop()]);
  await rm(folder, { recursive: true });
});

async function check(environment: Record<string, string>) {
  const usual = { DISCORD_TOKEN: sandbox.token, DISCORD_API_BASE: sandbox.apiBase };
  const run = runFrontpage({ ...usual, ...environment }, { words: ['check'], folder });
  const code = await run.code;
  return { code, lines: run.said().trimEnd().split('\n') };
}

test('the check says of each part that it is fine, in a line, and neither starts nor stores anything', async () => {
  const before = await redis.redis.keys('*');
  const [web, metrics] = [await freePort(), await freePort()];
  const { code, lines } = await check({
    DATA_DIR: join(folder, 'data'),
    WEB_PORT: String(web),
    METRICS_PORT: String(metrics),
    WEB_URL: sandbox.apiBase.replace(/\/api$/, ''),
  });
  expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual([
    '✓ Program',
    '✓ Settings',
    '✓ Token',
    '✓ Intents',
    '✓ Gateway',
    '✓ Clock',
    '✓ Redis',
    '✓ Folder',
    '✓ WEB_PORT',
    '✓ METRICS_PORT',
    '✓ WEB_URL',
  ]);
  expect(lines[2]).toContain(sandbox.world.application.name);
  expect(code).toBe(0);
  expect(await redis.redis.keys('*')).toEqual(before);
  expect(existsSync(join(folder, 'data'))).toBe(false);
  expect(sandbox.requests.count('PUT', /commands/)).toBe(0);
});

test('the check names every fault with its cure, and ends with the code of the first', async () => {
  const port = await freePort();
  const taken = createServer().listen(port, '127.0.0.1');
  await redis.redis.call('ACL', 'SETUSER', 'limited', 'on', '>right', '~*', '&*', '+@all', '-zadd');
  await writeFile(join(folder, 'clock'), String(2 * HOUR_MS));
  const { code, lines } = await check({
    MESSAGE_CONTENT: 'on',
    REDIS_URL: `redis+unix://limited:right@${redis.url}`,
    CLOCK_OFFSET_FILE: join(folder, 'clock'),
    WEB_PORT: String(port),
    WEB_URL: 'https://nowhere.invalid',
  });
  taken.close();
  expect(lines).toEqual([
    expect.stringMatching(/^✓ Program/),
    expect.stringMatching(/^✓ Settings/),
    expect.stringMatching(/^✓ Token/),
    expect.stringMatching(/^✗ Intents: .*switch on Message Content Intent/),
    expect.stringMatching(/^✓ Gateway: ws:.* answers/),
    expect.stringMatching(/^! Clock: this machine's is 7\d\d\d s ahead/),
    expect.stringMatching(/^✗ Redis: .*ACL SETUSER .* \+zadd$/),
    expect.stringMatching(/^✗ WEB_PORT: The port \d+ is taken/),
    expect.stringMatching(/^! WEB_URL: nothing answers this machine/),
  ]);
  expect(code).toBe(78);
});

test('the check of a wrong token goes on to what does not need it', async () => {
  const { code, lines } = await check({ DISCORD_TOKEN: 'wrong', REDIS_URL: redis.url });
  expect(lines).toContainEqual(
    expect.stringMatching(/^✗ Token: Discord does not accept the token/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/^✓ Redis: that of REDIS_URL, .* takes writes/),
  );
  expect(code).toBe(78);
});
