import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer as createPages } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Community, startCommunity } from '../../discord-box/test/community.ts';
import { HOUR_MS } from '../../src/runtime/clock.ts';
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

let times = 0;

/** The command itself, in this process. It takes all from its surroundings, and leaves lines and a code. */
async function check(given: Record<string, string>) {
  const [{ env, exitCode }, project] = [process, process.cwd()];
  const lines: string[] = [];
  const print = vi
    .spyOn(console, 'log')
    .mockImplementation((line: string) => void lines.push(line));
  process.env = {
    PATH: env['PATH'],
    DISCORD_TOKEN: sandbox.token,
    DISCORD_API_BASE: sandbox.apiBase,
    ...given,
  };
  process.chdir(folder);
  try {
    // It runs when it is loaded: anew for each name.
    const path = `${join(project, 'src/check.ts')}?${(times += 1)}`;
    await import(/* @vite-ignore */ path);
    return { code: process.exitCode, lines };
  } finally {
    process.chdir(project);
    Object.assign(process, { env, exitCode });
    print.mockRestore();
  }
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
  const taken = createServer((socket) => void socket.destroy()).listen(port, '127.0.0.1');
  await redis.redis.call('ACL', 'SETUSER', 'limited', 'on', '>right', '~*', '&*', '+@all', '-zadd');
  await writeFile(join(folder, 'clock'), String(2 * HOUR_MS));
  const { code, lines } = await check({
    MESSAGE_CONTENT: 'on',
    REDIS_URL: `redis+unix://limited:right@${redis.url}`,
    CLOCK_OFFSET_FILE: join(folder, 'clock'),
    WEB_PORT: String(port),
    WEB_URL: `http://127.0.0.1:${await freePort()}`,
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
    expect.stringMatching(/^! WEB_URL: nothing answers this machine at http:\S+ \(ECONNREFUSED\)/),
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

test('the check says with a mark of its own what a start would go on with', async () => {
  const { privileged } = sandbox.world.application;
  privileged.messageContent = true;
  await redis.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await writeFile(join(folder, '.env'), 'WEB_PORT: 80\n');
  const own = createPages((_, response) => void response.end('ok\n')).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const { port } = own.address() as AddressInfo;
  const given = { REDIS_URL: redis.url, WEB_PORT: String(port), HTTPS_PROXY: 'http://127.0.0.1:1' };
  const { code, lines } = await check(given);
  await writeFile(join(folder, 'clock'), String(-2 * HOUR_MS));
  const late = { CLOCK_OFFSET_FILE: join(folder, 'clock') };
  const switchedOn = await check({ ...given, ...late, MESSAGE_CONTENT: 'on' });
  privileged.messageContent = false;
  await redis.redis.config('SET', 'maxmemory-policy', 'noeviction');
  await rm(join(folder, '.env'));
  own.close();
  expect(lines).toEqual([
    expect.stringMatching(/^✓ Program/),
    expect.stringMatching(/^! Settings: Line 1 of .env has no =/),
    expect.stringMatching(/^! Proxy: HTTPS_PROXY is set, and Discord is reached without it/),
    expect.stringMatching(/^✓ Token/),
    expect.stringMatching(/^! Intents: Message Content is on at Discord, and has no use/),
    expect.stringMatching(/^✓ Gateway/),
    expect.stringMatching(/^✓ Clock/),
    expect.stringMatching(/^! Redis: .*maxmemory-policy allkeys-lru/),
    expect.stringMatching(/^✓ WEB_PORT: \d+ is Frontpage's own, which runs/),
  ]);
  expect(code).toBe(0);
  expect(switchedOn.lines).toContain('✓ Intents: Message Content is on, here and at Discord.');
  const behind = expect.stringMatching(/^! Clock: this machine's is 7[12]\d\d s behind/);
  expect(switchedOn.lines).toContainEqual(behind);
});

test('the check tries the Redis of the bot that runs, and names a gateway that does not answer', async () => {
  sandbox.gateway.open = false;
  const given = { DATA_DIR: join(redis.url, '../..') };
  const { code, lines } = await check(given);
  sandbox.gateway.open = true;
  await redis.redis.config('SET', 'min-replicas-to-write', '1');
  const refused = await check(given);
  await redis.redis.config('SET', 'min-replicas-to-write', '0');
  expect(refused.lines).toContainEqual(expect.stringMatching(/^✗ Redis: .*NOREPLICAS/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^✓ Redis: the one of the bot that runs, .* takes writes/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/^✗ Gateway: ws:\S+ cannot be used \(.+\): see whether a firewall/),
  );
  expect(code).toBe(69);
});

test.runIf(
  Object.values(networkInterfaces())
    .flat()
    .some((one) => one?.address === '::1'),
)('the check finds the pages of the bot that runs at an address of IPv6, too', async () => {
  const own = createPages((_, response) => void response.end('ok\n')).listen(0, '::1');
  await once(own, 'listening');
  const { port } = own.address() as AddressInfo;
  const given = { REDIS_URL: redis.url, WEB_PORT: String(port), WEB_HOST: '::1' };
  const { lines } = await check(given);
  own.close();
  expect(lines).toContain(`✓ WEB_PORT: ${port} is Frontpage's own, which runs.`);
});

// A file system without any room.
test.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
  'the check says where there is little room',
  async () => {
    const { code, lines } = await check({ REDIS_URL: redis.url, BACKUP_DIR: '/proc' });
    expect(lines.at(-1)).toBe('! Backups: /proc has little room: 0 MB are free.');
    expect(code).toBe(0);
  },
);

test('the check names a folder that cannot be used, and settings with a fault alone', async () => {
  await writeFile(join(folder, 'file'), '');
  const { code, lines } = await check({
    REDIS_URL: redis.url,
    BACKUP_DIR: join(folder, 'file', 'inside'),
  });
  expect(lines.at(-1)).toMatch(/^✗ Backups: .*inside cannot be used .*ENOTDIR.*set BACKUP_DIR/);
  expect(code).toBe(78);
  const long = await check({ REDIS_URL: redis.url, BACKUP_DIR: join(folder, 'x'.repeat(300)) });
  expect(long.lines.at(-1)).toMatch(/^✗ Backups: .*ENAMETOOLONG.*set BACKUP_DIR/);
  expect(long.code).toBe(78);
  const faulty = await check({ LOG_LEVEL: 'loud', WEB_PORT: 'many' });
  expect(faulty).toEqual({
    code: 78,
    lines: [
      expect.stringMatching(/^✗ Settings: LOG_LEVEL is not a level/),
      expect.stringMatching(/^✗ Settings: WEB_PORT is not a port/),
    ],
  });
});
