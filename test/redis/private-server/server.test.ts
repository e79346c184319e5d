import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { lockFile } from '../../../src/redis/private-server/file-lock.ts';
import {
  findServerBinary,
  type PrivateServer,
  startPrivateServer,
} from '../../../src/redis/private-server/server.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import type { AppendFsync } from '../../../src/redis/private-server/config.ts';

const log = createLog('silent');
let dataDir: string;
let cleanup: (() => unknown)[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'frontpage-test-'));
  cleanup = [() => rmSync(dataDir, { recursive: true })];
});
afterEach(async () => {
  for (const step of cleanup.toReversed()) await step();
});

async function start(folder = dataDir, appendFsync: AppendFsync = 'no'): Promise<PrivateServer> {
  const server = await startPrivateServer({ dataDir: folder, log, appendFsync });
  cleanup.push(() => server.stop());
  return server;
}

function connect(url: string): Redis {
  const redis = connectRedis(url, { log, name: 'test' });
  cleanup.push(() => redis.disconnect());
  return redis;
}

/** Not once(), which rejects with the errors of the connections that are tried before. */
function ready(redis: Redis): Promise<unknown> {
  return new Promise((resolve) => redis.once('ready', resolve));
}

type App = { child: ChildProcess; lines: AsyncIterator<string> };

/** A bot in a process group of its own, as a terminal would start it. */
function startApp(): App {
  const bot = join(import.meta.dirname, 'bot-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', bot, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanup.push(() => child.kill('SIGKILL'));
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function line(app: App): Promise<string> {
  return String((await app.lines.next()).value);
}

async function started(app: App): Promise<{ url: string; pid: number }> {
  return JSON.parse(await line(app)) as { url: string; pid: number };
}

async function startThenKillBot(): Promise<{ url: string; pid: number }> {
  const app = startApp();
  const server = await started(app);
  app.child.kill('SIGKILL');
  await once(app.child, 'exit');
  expect(isAlive(server.pid)).toBe(true);
  return server;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** An orphan that ended stays in the table of processes where process 1 does not collect it. */
function isZombie(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && /\) Z /.test(readFileSync(path, 'utf8'));
}

async function setting(redis: Redis, name: string): Promise<string | undefined> {
  return (await redis.config('GET', name))[1];
}

/** A Redis that somebody else runs. */
async function startStranger(socket: string): Promise<number> {
  const search = await findServerBinary();
  if (search.status === 'missing') throw new Error('There is no server.');
  const { command, argv0 } = search.binary;
  const folder = mkdtempSync(join(tmpdir(), 'stranger-'));
  const child = spawn(command, ['--port', '0', '--unixsocket', socket, '--dir', folder], {
    argv0,
    stdio: 'ignore',
  });
  cleanup.push(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
  await vi.waitFor(() => expect(existsSync(socket)).toBe(true), { timeout: 5000, interval: 10 });
  return child.pid ?? 0;
}

test('the server has a socket for this user alone, no TCP port, and our settings', async () => {
  const server = await start(dataDir, 'always');
  const redis = connect(server.url);
  expect(statSync(dirname(server.url)).mode & 0o777).toBe(0o700);
  expect(statSync(server.url).mode & 0o777).toBe(0o600);
  expect(statSync(join(dataDir, 'redis')).mode & 0o777).toBe(0o700);
  const settings: Record<string, string> = {
    port: '0',
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    'aof-load-truncated': 'yes',
    'maxmemory-policy': 'noeviction',
    'set-max-intset-entries': '32768',
    'hash-max-ziplist-value': '2048',
    'zset-max-ziplist-entries': '64',
  };
  for (const [name, value] of Object.entries(settings)) {
    expect([name, await setting(redis, name)]).toEqual([name, value]);
  }
});

test('the data is there at the next start, and nothing is left in between', async () => {
  const first = await start();
  await connect(first.url).set('key', 'value');
  const pid = first.pid();
  await first.stop();
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(dirname(first.url))).toBe(false);

  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await connect(second.url).get('key')).toBe('value');
});

test('a server that dies is started again with its data, as often as it dies', async () => {
  const server = await start();
  const redis = connect(server.url);
  for (const round of ['first', 'second', 'third']) {
    await redis.set(round, 'acknowledged');
    const pid = server.pid();
    process.kill(pid, 'SIGKILL');
    await ready(redis);
    await vi.waitFor(() => expect(server.pid()).not.toBe(pid), { timeout: 5000, interval: 10 });
    expect(await redis.get(round)).toBe('acknowledged');
  }
});

test('a server whose bot was killed is found again and used on', async () => {
  const orphan = await startThenKillBot();
  const server = await start();
  expect({ url: server.url, pid: server.pid() }).toEqual(orphan);
  const redis = connect(server.url);
  expect(await redis.get('written by')).toBe('a bot');

  // It is looked after as if it were our own.
  process.kill(orphan.pid, 'SIGKILL');
  await ready(redis);
  expect(await redis.get('written by')).toBe('a bot');
});

test('an adopted server ends with the bot', async () => {
  const orphan = await startThenKillBot();
  const server = await start();
  await server.stop();
  expect(isAlive(orphan.pid)).toBe(false);
});

test('an orphan whose bot died before it knew the run id is found by process and folder', async () => {
  const orphan = await startThenKillBot();
  const path = join(dataDir, 'redis', 'server.json');
  const record = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...record, runId: null }));
  expect((await start()).pid()).toBe(orphan.pid);
});

test('an orphan with other settings than today is started anew with its data', async () => {
  const orphan = await startThenKillBot();
  const server = await start(dataDir, 'always');
  const redis = connect(server.url);
  expect(server.pid()).not.toBe(orphan.pid);
  expect(isAlive(orphan.pid)).toBe(false);
  expect(await setting(redis, 'appendfsync')).toBe('always');
  expect(await redis.get('written by')).toBe('a bot');
});

test("a stranger's server is never taken for ours, whatever the record says", async () => {
  const socket = join(mkdtempSync(join(tmpdir(), 'fp-')), 's');
  cleanup.push(() => rmSync(dirname(socket), { recursive: true }));
  const stranger = await startStranger(socket);
  const runId = /run_id:(\w+)/.exec(await connect(socket).info())?.[1];
  mkdirSync(join(dataDir, 'redis'));
  for (const record of [
    { pid: stranger, socket, runId },
    { pid: stranger, socket, runId: null },
    { pid: process.pid, socket, runId: null },
  ]) {
    writeFileSync(join(dataDir, 'redis', 'server.json'), JSON.stringify(record));
    const server = await start();
    expect(server.url).not.toBe(socket);
    expect(server.pid()).not.toBe(stranger);
    await server.stop();
    expect(await connect(socket).ping()).toBe('PONG');
  }
});

test("a record that names a stranger's process, or that is nonsense, harms nobody", async () => {
  mkdirSync(join(dataDir, 'redis'));
  const socket = join(dataDir, 'none.sock');
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
  cleanup.push(() => bystander.kill());
  for (const record of [JSON.stringify({ pid: bystander.pid, socket, runId: 'x' }), '{', '']) {
    writeFileSync(join(dataDir, 'redis', 'server.json'), record);
    const server = await start();
    await server.stop();
  }
  expect(isAlive(bystander.pid ?? 0)).toBe(true);
});

test("a stranger's socket at our place is left alone", async () => {
  const first = await start();
  await first.stop();
  mkdirSync(dirname(first.url), { mode: 0o700 });
  const stranger: Server = createServer().listen(first.url);
  await once(stranger, 'listening');
  const server = await start();
  expect(dirname(server.url)).toBe(dirname(first.url));
  expect(server.url).not.toBe(first.url);
  expect(await connect(server.url).ping()).toBe('PONG');
  await server.stop();
  expect(existsSync(first.url)).toBe(true);
  stranger.close();
  await once(stranger, 'close');
  rmSync(dirname(first.url), { recursive: true });
});

test('a second bot in the same folder is refused with a sentence', async () => {
  const server = await start();
  await expect(start()).rejects.toThrow(
    `Another Frontpage (process ${process.pid}) uses the data in ${dataDir}: end it first`,
  );
  const app = startApp();
  expect(await line(app)).toContain('Another Frontpage');
  expect(await connect(server.url).ping()).toBe('PONG');
});

test('of two bots that adopt the same orphan at once, one is refused', async () => {
  const orphan = await startThenKillBot();
  const outcomes = await Promise.allSettled([start(), start(), start()]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(isAlive(orphan.pid)).toBe(true);
});

test('no second server writes where one lives that can no longer be recognised', async () => {
  const orphan = await startThenKillBot();
  rmSync(join(dataDir, 'redis', 'server.json'));
  expect(await lockFile(join(dataDir, 'redis', 'server.lock'))).toEqual({ status: 'held' });
  const starting = start();
  const botLock = join(dataDir, 'redis', 'bot.lock');
  await vi.waitFor(() => expect(readFileSync(botLock, 'utf8')).toBe(`${process.pid}\n`));
  process.kill(orphan.pid, 'SIGKILL');
  const server = await starting;
  expect(server.pid()).not.toBe(orphan.pid);
  expect(await connect(server.url).get('written by')).toBe('a bot');
});

test('Ctrl-C reaches the bot alone, which then ends the server', async () => {
  const app = startApp();
  const { pid } = await started(app);
  process.kill(-(app.child.pid ?? 0), 'SIGINT'); // The whole group, as a terminal does.
  expect(await line(app)).toBe('a bot');
  expect(await line(app)).toBe('ended');
  expect(isAlive(pid)).toBe(false);
  if (app.child.exitCode === null) await once(app.child, 'exit');
  expect(app.child.exitCode).toBe(0);
  const serverLog = readFileSync(join(dataDir, 'redis', 'server.log'), 'utf8');
  expect(serverLog).toContain('User requested shutdown');
  expect(serverLog).not.toContain('SIGINT');
});

test('a data folder may be long, and may have any name', async () => {
  const folder = join(dataDir, 'a "quoted" \\ name with spaces, $HOME # and 中文', 'x'.repeat(200));
  const server = await start(folder);
  expect(Buffer.byteLength(server.url)).toBeLessThan(104);
  await connect(server.url).set('key', 'value');
  expect(readdirSync(join(folder, 'redis'))).toContain('appendonlydir');
});

test('a data folder that cannot be made is a sentence, not a stack', async () => {
  const file = join(dataDir, 'file');
  writeFileSync(file, '');
  await expect(start(file)).rejects.toThrow('set DATA_DIR to one that this user may write to');
});

function appendOnlyFile(kind: string): string {
  const folder = join(dataDir, 'redis', 'appendonlydir');
  return join(folder, readdirSync(folder).find((name) => name.includes(kind)) ?? '');
}

test('half a command at the end of the data, as after a power cut, is dropped', async () => {
  const first = await start();
  await connect(first.url).set('key', 'value');
  await first.stop();
  appendFileSync(appendOnlyFile('.incr.'), '*3\r\n$3\r\nSET\r\n$3\r\nke');
  const second = await start();
  expect(await connect(second.url).get('key')).toBe('value');
});

test('data that cannot be loaded stops the start with the last lines of the log', async () => {
  const first = await start();
  await first.stop();
  writeFileSync(appendOnlyFile('.manifest'), 'nonsense');
  await expect(start()).rejects.toThrow(/did not start: it ended with code 1\.[^]*manifest/);
  await expect(start()).rejects.toThrow('did not start'); // The folder was given free again.
});

test('a server that hangs is ended all the same', async () => {
  const server = await start();
  const pid = server.pid();
  process.kill(pid, 'SIGSTOP');
  await server.stop();
  expect(isAlive(pid)).toBe(false);
});

test('a bot that stops while its server is being started again leaves no process', async () => {
  const server = await start();
  const pids = new Set([server.pid()]);
  process.kill(server.pid(), 'SIGKILL');
  await server.stop();
  pids.add(server.pid());
  expect([...pids].filter(isAlive)).toEqual([]);
  expect(existsSync(join(dataDir, 'redis', 'server.json'))).toBe(false);
  expect(existsSync(server.url)).toBe(false);
});

test('a socket that something removed is made again', async () => {
  const server = await start();
  const redis = connect(server.url);
  await redis.set('key', 'value');
  rmSync(dirname(server.url), { recursive: true });
  await vi.waitFor(() => expect(existsSync(server.url)).toBe(true), {
    timeout: 20_000,
    interval: 50,
  });
  expect(await connect(server.url).get('key')).toBe('value');
});
