import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fault, type Log } from '../../log.ts';
import { findServerBinary, missingServerMessage } from './binary.ts';
import type { AppendFsync } from './config.ts';
import { lookForData } from './damage.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { openFolder, socketOf } from './folder.ts';
import { dataIsGone, endServer, openServer, type RunningServer, type Setup } from './launch.ts';
import { findServersIn, probe } from './probe.ts';
import { rewriteData } from './rewrite.ts';
import { ServerUnavailable } from './unavailable.ts';
import { parseInfo } from '../server-info.ts';

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
    throw new ServerUnavailable(missingServerMessage(search.tooOld), 'unavailable');
  }
  const folder = await openFolder(dataDir);
  const lock = await lockForBot(folder, log);
  try {
    await nameLostServers(folder, log);
    const setup = { folder, appendFsync, binary: search.binary, log };
    return keepRunning(await openServer(setup), setup, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

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

const LOCK_RETRIES = 10;
const LOCK_RETRY_MS = 200;

/**
 * Allows one bot at a time, because two bots would end each other's server. A child that a killed
 * bot had just forked holds the lock until it runs its own program, so a held lock is tried again.
 */
async function lockForBot(folder: string, log: Log): Promise<FileLock> {
  const path = join(folder, 'bot.lock');
  let lock = await lockFile(path);
  for (let tries = 0; lock === null && tries < LOCK_RETRIES; tries++) {
    await pause(LOCK_RETRY_MS);
    lock = await lockFile(path);
  }
  if (lock === null) {
    const holder = (await readFile(path, 'utf8')).trim() || 'unknown';
    throw new ServerUnavailable(
      `Another Frontpage (process ${holder}) uses the data in ${dirname(folder)}: end it first, or set another DATA_DIR for this one.`,
      'temporary',
    );
  }
  if (!lock.guarded) {
    log.warn('Neither flock nor perl is here, so that a second Frontpage cannot be kept away.');
  }
  await writeFile(path, `${process.pid}\n`).catch((error: unknown) => {
    throw ServerUnavailable.from(error, path);
  });
  return lock;
}

/** A server whose folder was deleted has no socket any more: nobody can reach it or its data. */
async function nameLostServers(folder: string, log: Log): Promise<void> {
  for (const { pid, deleted } of await findServersIn(folder)) {
    if (!deleted) continue;
    log.error(
      { pid },
      `The folder ${folder} was deleted under a Redis server (process ${pid}), which cannot be reached any more. End it with  kill ${pid}`,
    );
  }
}

/**
 * A server that ran this long is restarted at once; after shorter runs the wait doubles each time.
 */
const STEADY_MS = 60_000;
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
const FOLDER_CHECK_MS = 5000;

const folderIsReplaced =
  'The folder of the private Redis server was replaced while it runs: what is stored now goes nowhere. Start Frontpage again to use the new folder.';

const filesAreDeleted = 'Files of the private Redis server were deleted while it runs.';
const notMadeAgain = 'The deleted files could not be made again; this is tried until they can.';

const diskFails =
  'The private Redis server cannot write to its disk, which is probably full: free some space on it. Until then nothing can be posted or set, and votes are read from Discord when there is room again.';

/** When the server dies, it is started again on the same data and socket. */
function keepRunning(first: RunningServer, setup: Setup, lock: FileLock): PrivateServer {
  const { folder, log } = setup;
  const url = socketOf(folder);
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopRequested = once(signal, 'abort');
  let server = first;
  let botLock = lock;
  /** The folder's inode. It is read before anybody can delete the folder under a running bot. */
  let { ino } = lstatSync(folder);

  async function run(): Promise<void> {
    let failures = 0;
    for (;;) {
      const startedAt = performance.now();
      await Promise.race([server.ended, stopRequested]);
      if (signal.aborted) return endServer(folder, server);
      log.error({ pid: server.pid }, 'The private Redis server has ended.');
      if (performance.now() - startedAt > STEADY_MS) failures = 0;
      const next = await revive(failures++);
      if (next === null) return;
      server = next;
      log.info({ pid: server.pid }, 'The private Redis server runs again.');
    }
  }

  /** Tries until a server runs. Null if the bot is stopping. */
  async function revive(failures: number): Promise<RunningServer | null> {
    let lastReason: string | undefined;
    for (let tries = failures; ; tries++) {
      const waitMs = Math.min(SHORTEST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
      await pause(tries === 0 ? 0 : waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return null;
      try {
        if (!existsSync(folder)) {
          await makeAgain();
          log.error({ folder }, dataIsGone);
        }
        return await openServer(setup, signal);
      } catch (error) {
        if (signal.aborted) return null;
        const { message } = error as Error;
        if (message === lastReason) continue;
        lastReason = message;
        log.error(fault(error), 'The private Redis server did not start and is tried again.');
      }
    }
  }

  async function watch(): Promise<void> {
    /** Each trouble is said once, until it is over. */
    const said = new Set<string>();
    const say = (trouble: string, fields: object = { folder }): void => {
      if (!said.has(trouble)) log.error(fields, trouble);
      said.add(trouble);
    };
    for (;;) {
      await pause(FOLDER_CHECK_MS, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      if (server.connection.status !== 'ready') continue; // It is being started again.
      try {
        const entry = await lstat(folder).catch(() => null);
        if (entry !== null && entry.ino !== ino) {
          say(folderIsReplaced);
          continue;
        }
        const info = parseInfo(await server.connection.info('persistence'));
        if (info.get('aof_last_write_status') === 'err') say(diskFails);
        else if (said.delete(diskFails)) log.info('The private Redis server can write again.');
        const isWhole = (await lookForData(folder)) === 'present';
        if (isWhole && existsSync(url)) {
          said.delete(filesAreDeleted);
          said.delete(notMadeAgain);
          continue;
        }
        say(filesAreDeleted);
        if (entry === null) await makeAgain();
        if (!isWhole) {
          await rewriteData(server.connection, folder);
          log.info({ folder }, 'All data was written again from memory.');
        }
        server.connection.shutdown('NOSAVE').catch(() => {}); // Starting again makes the socket.
      } catch (error) {
        if (!signal.aborted) say(notMadeAgain, fault(error));
      }
    }
  }

  async function makeAgain(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await botLock.release();
    botLock = await lockForBot(folder, log);
    ({ ino } = await lstat(folder));
  }

  const running = Promise.all([run(), watch()]);
  async function stop(): Promise<void> {
    stopping.abort();
    await running;
    await botLock.release();
  }
  let stopped: Promise<void> | undefined;
  return { url, pid: () => server.pid, stop: () => (stopped ??= stop()) };
}
