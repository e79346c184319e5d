import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { findServerBinary } from '../../../src/redis/private-server/binary.ts';
import { findServersIn } from '../../../src/redis/private-server/probe.ts';
import { startPrivateServer } from '../../../src/redis/private-server/private-server.ts';
import { isWhole } from '../../fixtures/sample.ts';
import {
  cleanup,
  connect,
  dataDir,
  listening,
  log,
  said,
  start,
  useDataFolder,
} from './data-folder.ts';

useDataFolder();

/** Not once(), which rejects with the errors of the connections that are tried before. */
function ready(redis: Redis): Promise<unknown> {
  return new Promise((resolve) => redis.once('ready', resolve));
}

type App = { child: ChildProcess; lines: AsyncIterator<string> };

/** A bot in a process group of its own, as a terminal would start it. */
function startApp(): App {
  const bot = join(import.meta.dirname, 'bot-process.ts');
  const child = spawn(process.execPath, ['--import', './bin/read-typescript.js', bot, dataDir], {
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

async function untilFile(path: string): Promise<void> {
  await vi.waitFor(() => expect(existsSync(path)).toBe(true), { timeout: 60_000, interval: 5 });
}

async function setting(redis: Redis, name: string): Promise<string | undefined> {
  return (await redis.config('GET', name))[1];
}

test('a program that hangs, and whose child outlives it, is given up', () => {
  writeFileSync(join(dataDir, 'redis-server'), '#!/bin/sh\nsleep 60\n', { mode: 0o755 });
  expect(() => findServerBinary([dataDir])).toThrow('does not answer');
});

test('the server has a socket for this user alone, no TCP port, and our settings', async () => {
  const server = await start(dataDir, { appendFsync: 'always' });
  const redis = connect(server.url);
  expect(dirname(server.url)).toBe(join(dataDir, 'redis'));
  expect(statSync(server.url).mode & 0o777).toBe(0o600);
  expect(statSync(join(dataDir, 'redis')).mode & 0o777).toBe(0o700);
  const settings: Record<string, string> = {
    port: '0',
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
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
  expect(existsSync(first.url)).toBe(false);

  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await connect(second.url).get('key')).toBe('value');
});

// Withstands (The private server): It dies
// → it starts again with its data
test('a server that dies is started again with its data, as often as it dies', async () => {
  const server = await start();
  const redis = connect(server.url);
  for (const round of ['first', 'second', 'third']) {
    await redis.set(round, 'acknowledged');
    const pid = server.pid();
    process.kill(pid, 'SIGKILL');
    await ready(redis);
    await expect.poll(() => server.pid()).not.toBe(pid);
    expect(await redis.get(round)).toBe('acknowledged');
  }
});

// Withstands (The private server): The bot is killed, or both are
// → the next start has the data
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

test.runIf(isWhole)(
  'whenever a bot and its server are killed, one after the other, the next start has the data',
  async () => {
    for (let round = 0; round < 8; round++) {
      const app = startApp();
      const { pid } = await started(app);
      const delayMs = Math.random() * 60; // The bot starts another server meanwhile.
      process.kill(pid, 'SIGKILL');
      await pause(delayMs);
      app.child.kill('SIGKILL');
      await once(app.child, 'exit');
      const server = await startPrivateServer({ dataDir, log, appendFsync: 'no' });
      expect(await connect(server.url).get('written by'), `after ${delayMs} ms`).toBe('a bot');
      await server.stop();
      expect(await findServersIn(join(dataDir, 'redis'))).toEqual([]);
    }
  },
  120_000,
);

test.runIf(isWhole)(
  'a bot that is killed while it starts its first server keeps nobody from the folder',
  async () => {
    for (let round = 0; round < 6; round++) {
      const app = startApp();
      const delayMs = Math.random() * 200;
      await untilFile(join(dataDir, 'redis', 'bot.lock'));
      await pause(delayMs);
      app.child.kill('SIGKILL');
      await once(app.child, 'exit');
      const server = await startPrivateServer({ dataDir, log, appendFsync: 'no' });
      expect(isAlive(server.pid())).toBe(true);
      await server.stop();
      rmSync(join(dataDir, 'redis'), { recursive: true });
    }
  },
  120_000,
);

test('an orphan with another fsync policy than today is used on with today’s', async () => {
  const orphan = await startThenKillBot();
  const server = await start(dataDir, { appendFsync: 'always' });
  const redis = connect(server.url);
  expect(server.pid()).toBe(orphan.pid);
  expect(await setting(redis, 'appendfsync')).toBe('always');
  expect(await redis.get('written by')).toBe('a bot');
});

test('a configuration that is nonsense, or of a server that ended long ago, harms nobody', async () => {
  const first = await start();
  await connect(first.url).set('key', 'value');
  await first.stop();
  const conf = join(dataDir, 'redis', 'redis.conf');
  const old = readFileSync(conf, 'utf8');
  for (const text of [old, old.slice(0, 200), '', 'unixsocket redis.sock\n']) {
    writeFileSync(conf, text);
    writeFileSync(first.url, 'not a socket');
    const server = await start();
    expect(await connect(server.url).get('key')).toBe('value');
    await server.stop();
  }
});

// Withstands (The private server): Two bots use one folder
// → the second is refused
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

// Withstands (The private server): The socket of a living server is deleted
// → no second server writes
test('no second server writes where one lives whose socket was deleted', async () => {
  const orphan = await startThenKillBot();
  for (const name of ['bot.lock', 'redis.sock', 'redis.conf']) {
    rmSync(join(dataDir, 'redis', name));
  }
  await expect(start()).rejects.toThrow(`(process ${orphan.pid})`);
  process.kill(orphan.pid, 'SIGTERM');
  expect(await connect((await start()).url).get('written by')).toBe('a bot');
});

test('a server that hangs is named, and used on when it answers again', async () => {
  const orphan = await startThenKillBot();
  process.kill(orphan.pid, 'SIGSTOP');
  await expect(start()).rejects.toThrow(`kill -9 ${orphan.pid}`);
  const starting = start();
  process.kill(orphan.pid, 'SIGCONT');
  expect((await starting).pid()).toBe(orphan.pid);
}, 60_000);

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

test('a data folder may have any name', async () => {
  const folder = join(dataDir, 'a "quoted" \\ name, $HOME # and 中文');
  const server = await start(folder);
  await connect(server.url).set('key', 'value');
  expect(readdirSync(join(folder, 'redis'))).toContain('appendonlydir');
});

/** As other work that the event loop has to do. */
const beBusy = () => process.nextTick(() => spawnSync('sleep', ['0.2']));

test('a server that ends as soon as it is started is a sentence, however busy the bot is', async () => {
  const program = join(dataDir, 'redis-server');
  const script = '#!/bin/sh\n[ "$1" = --version ] && echo "Redis server v=7.0.15" || exit 1\n';
  writeFileSync(program, script, { mode: 0o755 });
  vi.stubEnv('PATH', `${dataDir}:${process.env['PATH']}`);
  subscribe('child_process', beBusy);
  cleanup.push(() => unsubscribe('child_process', beBusy), vi.unstubAllEnvs);
  await expect(start()).rejects.toThrow('it ended with code 1');
});

test.runIf(process.platform === 'linux')(
  'a data folder in /proc is a sentence at once',
  async () => {
    await expect(start('/proc/frontpage')).rejects.toThrow('set DATA_DIR to a folder');
  },
);

test('a server whose folder was deleted is named, and the start goes on without it', async () => {
  const orphan = await startThenKillBot();
  cleanup.push(() => process.kill(orphan.pid, 'SIGKILL'));
  rmSync(join(dataDir, 'redis'), { recursive: true });
  const server = await start(dataDir, { heard: listening });
  expect(server.pid()).not.toBe(orphan.pid);
  expect(said()).toContain(`End it with  kill ${orphan.pid}`);
});
