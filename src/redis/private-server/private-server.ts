import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { cannotUse } from '../../runtime/cannot-start.ts';
import { fault, type Log } from '../../runtime/log.ts';
import { findServerBinary } from './binary.ts';
import { lockForBot } from './bot-lock.ts';
import { lookForData, rewriteData } from './data-files.ts';
import { openFolder, socketOf } from './folder.ts';
import { dataIsGone, endServer, type Home, openServer } from './launch.ts';
import { findServersIn, probe, type Server } from './probe.ts';
import type { AppendFsync } from './server-config.ts';

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
 * Throws `CannotStart` if there is no program to run, another process uses the folder, or the server
 * does not start.
 */
export async function startPrivateServer(options: {
  dataDir: string;
  log: Log;
  appendFsync?: AppendFsync;
  /** A test waits less. */
  pauses?: Pauses;
}): Promise<PrivateServer> {
  const { dataDir, log, appendFsync = 'everysec', pauses = PAUSES } = options;
  const binary = findServerBinary();
  const refuse = (error: unknown): never => {
    throw cannotUse(join(dataDir, 'redis'), error);
  };
  const folder = await openFolder(dataDir).catch(refuse);
  const lock = await lockForBot(folder, log).catch(refuse);
  const home: Home = { folder, lock, binary, appendFsync, log, stopping: new AbortController() };
  // Linux gives a folder that was deleted another name.
  for (const pid of await findServersIn(`${folder} (deleted)`)) {
    log.error(
      { pid },
      `The folder ${folder} was deleted under a Redis server (process ${pid}), which cannot be reached any more. End it with  kill ${pid}`,
    );
  }
  try {
    return keepRunning(home, await openServer(home), pauses);
  } catch (error) {
    await home.lock.file.close();
    throw error;
  }
}

/** The address of the private server that a running bot has on `dataDir`; null where there is none. */
export async function findPrivateServer(dataDir: string): Promise<string | null> {
  // A link in place of the folder is not followed: `startPrivateServer` refuses it.
  const folder = join(await realpath(dataDir).catch(() => dataDir), 'redis');
  const entry = await lstat(folder).catch(() => null);
  if (!entry?.isDirectory()) return null;
  const answer = await probe(folder);
  if (answer.status !== 'ours') return null;
  answer.server.connection.disconnect();
  return socketOf(folder);
}

type Pauses = {
  /** After a start that failed, and the shortest time between two starts. */
  restartMs: number;
  /** Between two looks at the files. */
  lookMs: number;
};

const PAUSES: Pauses = { restartMs: 1000, lookMs: 5000 };

/** When the server dies, it is started again on the same data and socket. */
function keepRunning(home: Home, first: Server, pauses: Pauses): PrivateServer {
  const { folder, log, stopping } = home;
  const { signal } = stopping;
  const { restartMs, lookMs } = pauses;
  const stopRequested = once(signal, 'abort');
  let server = first;

  async function run(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      await Promise.race([server.ended, stopRequested]);
      if (signal.aborted) return endServer(folder, server);
      log.error({ pid: server.pid }, 'The private Redis server has ended.');
      const isSteady = performance.now() - startedAt > restartMs;
      if (!isSteady) await pause(restartMs, undefined, { signal }).catch(() => {});
      const next = await revive(home, restartMs);
      if (next === null) return endServer(folder, server);
      server = next;
      log.info({ pid: server.pid }, 'The private Redis server runs again.');
    }
  }

  const running = Promise.all([run(), watchFiles(home, () => server.connection, lookMs)]);
  return {
    url: socketOf(folder),
    pid: () => server.pid,
    async stop() {
      stopping.abort();
      await running;
      await home.lock.file.close();
    },
  };
}

/** Tries until a server runs. Null if the bot is stopping. */
async function revive(home: Home, restartMs: number): Promise<Server | null> {
  const { folder, log } = home;
  const { signal } = home.stopping;
  let lastReason: string | undefined;
  while (!signal.aborted) {
    try {
      if (!existsSync(folder)) {
        await makeAgain(home);
        log.error({ folder }, dataIsGone);
      }
      return await openServer(home);
    } catch (error) {
      if (signal.aborted) return null;
      const { message } = error as Error;
      if (message !== lastReason) {
        log.error(fault(error), 'The private Redis server did not start and is tried again.');
      }
      lastReason = message;
      await pause(restartMs, undefined, { signal }).catch(() => {});
    }
  }
  return null;
}

/** Makes the folder again that somebody deleted. */
async function makeAgain(home: Home): Promise<void> {
  await mkdir(home.folder, { recursive: true, mode: 0o700 });
  await home.lock.file.close();
  home.lock = await lockForBot(home.folder, home.log);
}

/** Makes files again that were deleted under a running server. */
async function watchFiles(home: Home, connection: () => Redis, lookMs: number): Promise<void> {
  const { folder, log } = home;
  const { signal } = home.stopping;
  let isSaid = false;
  for (;;) {
    await pause(lookMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    const redis = connection();
    if (redis.status !== 'ready') continue; // It is being started again.
    const isWhole = (await lookForData(folder)) === 'present';
    if (isWhole && existsSync(socketOf(folder))) {
      isSaid = false;
      continue;
    }
    if (!isSaid) log.error({ folder }, 'Files of the private Redis server were deleted.');
    try {
      if (!existsSync(folder)) await makeAgain(home);
      if (!isWhole) {
        await rewriteData(redis, folder);
        log.info({ folder }, 'All data was written again from memory.');
      }
      redis.shutdown('NOSAVE').catch(() => {}); // Starting again makes the socket.
    } catch (error) {
      if (!isSaid) log.error(fault(error), 'The deleted files cannot be made again yet.');
    }
    isSaid = true;
  }
}
