import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { findServerBinary } from '../../../src/redis/private-server/binary.ts';
import { lockFile } from '../../../src/redis/private-server/bot-lock.ts';
import { openServer } from '../../../src/redis/private-server/launch.ts';
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
afterEach(() => {
  vi.useRealTimers();
});

/** The folder of a server that another bot may have left. */
function makeFolder(): string {
  mkdirSync(join(dataDir, 'redis'));
  return join(dataDir, 'redis');
}

/** What the work ends with, while the time flies: nothing else ends a wait for a server. */
async function inNoTime(work: Promise<unknown>): Promise<unknown> {
  vi.useFakeTimers({ toFake: ['performance'] });
  let outcome: unknown;
  const over = work.then(
    (value) => (outcome = value),
    (error: unknown) => (outcome = error),
  );
  await expect.poll(() => (vi.advanceTimersByTime(1000), outcome)).toBeDefined();
  return over;
}

/** A server's process that answers nobody, and ends by itself. */
async function startDeafServer(folder: string, seconds = 60): Promise<ChildProcess> {
  const program = join(dataDir, 'redis-server');
  if (!existsSync(program)) copyFileSync(realpathSync('/bin/sleep'), program);
  const child = spawn(program, [String(seconds)], { cwd: folder, stdio: 'ignore' });
  cleanup.push(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

test('a server of somebody else at the socket is named, and is neither used nor ended', async () => {
  const other = join(dataDir, 'other');
  const stranger = await start(other);
  symlinkSync(stranger.url, join(makeFolder(), 'redis.sock'));
  const refused = await inNoTime(start());
  expect(refused).toMatchObject({
    code: 75,
    message: expect.stringMatching(
      `^A Redis server \\(process ${stranger.pid()}\\) .*End it with {2}kill ${stranger.pid()} `,
    ) as string,
  });
  expect(await connect(stranger.url).ping()).toBe('PONG');
});

test('what listens at the socket and is no Redis is left alone, and looked for by its host', async () => {
  const socket = join(makeFolder(), 'redis.sock');
  const stranger = createServer((connection) => void connection.end()).listen(socket);
  cleanup.push(() => stranger.close());
  await once(stranger, 'listening');
  expect(await inNoTime(start())).toMatchObject({
    message: expect.stringContaining(`Find it with  lsof ${socket}  and end it`) as string,
  });
  expect(stranger.listening && existsSync(socket)).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'no second server writes where one works whose socket is gone',
  async () => {
    const { pid } = await startDeafServer(makeFolder());
    expect(await inNoTime(start())).toMatchObject({
      message: expect.stringContaining(`End it with  kill -9 ${pid} `) as string,
    });
  },
);

test.runIf(process.platform === 'linux')(
  'a bot that is stopping does not wait for a server that does not answer',
  async () => {
    const folder = makeFolder();
    await startDeafServer(folder);
    const lock = (await lockFile(join(dataDir, 'lock')))!;
    const stopping = new AbortController();
    const home = { folder: realpathSync(folder), lock, binary: findServerBinary(), log, stopping };
    stopping.abort();
    vi.useFakeTimers({ toFake: ['performance'] });
    const refused = openServer({ ...home, appendFsync: 'no' }).catch(String);
    expect(await Promise.race([refused, pause(2000, 'It waits.')])).toContain('is in the way');
    await lock.file.close();
  },
);

test.runIf(process.platform === 'linux')(
  'a server whose folder was deleted is named, and a start goes on without it',
  async () => {
    const folder = makeFolder();
    const { pid } = await startDeafServer(folder);
    rmSync(folder, { recursive: true });
    const server = await start(dataDir, { heard: listening });
    expect(await connect(server.url).ping()).toBe('PONG');
    expect(said()).toContain(`End it with  kill ${pid}`);
  },
);

test.runIf(process.platform === 'linux')(
  'what a server left running in its folder has a time to end, and is ended then',
  async () => {
    const server = await start();
    const folder = join(dataDir, 'redis');
    const children = [await startDeafServer(folder, 0.3), await startDeafServer(folder)];
    const [brief, long] = children.map(async (child) => once(child, 'exit'));
    vi.useFakeTimers({ toFake: ['performance'] });
    const stopped = server.stop().then(() => 'stopped');
    expect(await brief).toEqual([0, null]);
    expect(children[1]!.signalCode).toBeNull();
    await inNoTime(stopped);
    expect(await Promise.race([long, pause(5000, 'It lives.')])).toEqual([null, 'SIGKILL']);
  },
);
