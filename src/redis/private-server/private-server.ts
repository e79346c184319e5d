import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fault, type Log } from '../../log.ts';
import { findServerBinary, missingServerMessage } from './binary.ts';
import type { AppendFsync } from './server-config.ts';
import type { FileLock } from './file-lock.ts';
import { openFolder, socketOf } from './folder.ts';
import { dataIsGone, endServer, openServer, type RunningServer, type Setup } from './launch.ts';
import { findLostServers, probe } from './probe.ts';
import { ServerUnavailable } from './unavailable.ts';
import { type Home, lockForBot, makeAgain, watchFiles } from './home.ts';

export { findServerBinary, missingServerMessage, ServerUnavailable };

export type PrivateServer = {
  /** The socket's path, for `connectRedis`. It stays the same when the server is started again. */
  url: string;
  /** The server's process as it is now. */
  pid(): number;
  /** Ends the server, waits until its process is gone, and lets go of the folder. */
  stop(): Promise<void>;
};

/**
 * Starts our own Redis server with its data in `dataDir`/redis, or takes over the one that a killed
 * bot left there, and keeps it running until `stop`. Acknowledged writes survive the end of any
 * process. A power cut loses the last second, or nothing with `appendFsync: 'always'`.
 *
 * Throws `ServerUnavailable` if there is no program to run, another process uses the folder, or the
 * server does not start.
 */
export async function startPrivateServer(options: {
  dataDir: string;
  log: Log;
  appendFsync?: AppendFsync;
}): Promise<PrivateServer> {
  const { dataDir, log, appendFsync = 'everysec' } = options;
  const search = await findServerBinary();
  if (search.status === 'missing') {
    throw new ServerUnavailable(missingServerMessage(search.unusable), 'unavailable');
  }
  const folder = await openFolder(dataDir);
  const lock = await lockForBot(folder, log);
  for (const pid of await findLostServers(folder)) {
    log.error({ pid }, lostServer(folder, pid));
  }
  try {
    const setup = { folder, appendFsync, binary: search.binary, log };
    return keepRunning(await openServer(setup), setup, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const lostServer = (folder: string, pid: number): string =>
  `The folder ${folder} was deleted under a Redis server (process ${pid}), which cannot be reached any more. End it with  kill ${pid}`;

/** The address of the private server that a running bot has on `dataDir`; null where there is none. */
export async function findPrivateServer(dataDir: string): Promise<string | null> {
  // A link in place of the folder is not followed: `startPrivateServer` refuses it.
  const folder = join(await realpath(dataDir).catch(() => dataDir), 'redis');
  const entry = await lstat(folder).catch(() => null);
  if (!entry?.isDirectory()) return null;
  const answer = await probe(socketOf(folder), folder);
  if (answer.status !== 'ours') return null;
  answer.server.connection.disconnect();
  return socketOf(folder);
}

/** The pause after a start that failed, and the shortest time between two starts. */
const RESTART_MS = 1000;

/** When the server dies, it is started again on the same data and socket. */
function keepRunning(first: RunningServer, setup: Setup, lock: FileLock): PrivateServer {
  const { folder, log } = setup;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopRequested = once(signal, 'abort');
  const home: Home = { folder, log, lock };
  let server = first;

  async function run(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      await Promise.race([server.ended, stopRequested]);
      if (signal.aborted) return endServer(folder, server);
      log.error({ pid: server.pid }, 'The private Redis server has ended.');
      const isSteady = performance.now() - startedAt > RESTART_MS;
      if (!isSteady) await pause(RESTART_MS, undefined, { signal }).catch(() => {});
      const next = await revive(home, setup, signal);
      if (next === null) return;
      server = next;
      log.info({ pid: server.pid }, 'The private Redis server runs again.');
    }
  }

  const running = Promise.all([run(), watchFiles(home, () => server.connection, signal)]);
  async function stop(): Promise<void> {
    stopping.abort();
    await running;
    await home.lock.release();
  }
  let stopped: Promise<void> | undefined;
  return {
    url: socketOf(folder),
    pid: () => server.pid,
    stop: () => (stopped ??= stop()),
  };
}

/** Tries until a server runs. Null if the bot is stopping. */
async function revive(
  home: Home,
  setup: Setup,
  signal: AbortSignal,
): Promise<RunningServer | null> {
  const { folder, log } = home;
  let lastReason: string | undefined;
  while (!signal.aborted) {
    try {
      if (!existsSync(folder)) {
        await makeAgain(home);
        log.error({ folder }, dataIsGone);
      }
      return await openServer(setup, signal);
    } catch (error) {
      if (signal.aborted) return null;
      const { message } = error as Error;
      if (message !== lastReason) {
        log.error(fault(error), 'The private Redis server did not start and is tried again.');
      }
      lastReason = message;
      await pause(RESTART_MS, undefined, { signal }).catch(() => {});
    }
  }
  return null;
}
