import { existsSync } from 'node:fs';
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { fault, type Log } from '../../log.ts';
import { parseInfo } from '../server-info.ts';
import { lookForData } from './data-files.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { socketOf } from './folder.ts';
import { findServersIn } from './probe.ts';
import { ServerUnavailable } from './unavailable.ts';

/** The folder of a running server, which this bot alone uses. */
export type Home = {
  folder: string;
  log: Log;
  lock: FileLock;
  /** The folder's inode. */
  ino: number;
};

const LOCK_RETRIES = 10;
const LOCK_RETRY_MS = 200;

/**
 * Allows one bot at a time, because two bots would end each other's server. A child that a killed
 * bot had just forked holds the lock until it runs its own program, so a held lock is tried again.
 */
export async function lockForBot(folder: string, log: Log): Promise<FileLock> {
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
export async function nameLostServers(folder: string, log: Log): Promise<void> {
  for (const { pid, deleted } of await findServersIn(folder)) {
    if (!deleted) continue;
    log.error(
      { pid },
      `The folder ${folder} was deleted under a Redis server (process ${pid}), which cannot be reached any more. End it with  kill ${pid}`,
    );
  }
}

/** Makes the folder again that somebody deleted. */
export async function makeAgain(home: Home): Promise<void> {
  const { folder, log } = home;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await home.lock.release();
  home.lock = await lockForBot(folder, log);
  home.ino = (await lstat(folder)).ino;
}

const CHECK_MS = 5000;

const folderIsReplaced =
  'The folder of the private Redis server was replaced while it runs: what is stored now goes nowhere. Start Frontpage again to use the new folder.';

const filesAreDeleted = 'Files of the private Redis server were deleted while it runs.';
const notMadeAgain = 'The deleted files could not be made again; this is tried until they can.';

const diskFails =
  'The private Redis server cannot write to its disk, which is probably full: free some space on it. Until then nothing can be posted or set, and votes are read from Discord when there is room again.';

/** Makes files again that were deleted under a running server, and says what is wrong with its disk. */
export async function watchFiles(
  home: Home,
  connection: () => Redis,
  signal: AbortSignal,
): Promise<void> {
  const { folder, log } = home;
  /** Each trouble is said once, until it is over. */
  const said = new Set<string>();
  const say = (trouble: string, fields: object = { folder }): void => {
    if (!said.has(trouble)) log.error(fields, trouble);
    said.add(trouble);
  };
  for (;;) {
    await pause(CHECK_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    const redis = connection();
    if (redis.status !== 'ready') continue; // It is being started again.
    try {
      const entry = await lstat(folder).catch(() => null);
      if (entry !== null && entry.ino !== home.ino) {
        say(folderIsReplaced);
        continue;
      }
      const info = parseInfo(await redis.info('persistence'));
      if (info.get('aof_last_write_status') === 'err') say(diskFails);
      else if (said.delete(diskFails)) log.info('The private Redis server can write again.');
      const isWhole = (await lookForData(folder)) === 'present';
      if (isWhole && existsSync(socketOf(folder))) {
        said.delete(filesAreDeleted);
        said.delete(notMadeAgain);
        continue;
      }
      say(filesAreDeleted);
      if (entry === null) await makeAgain(home);
      if (!isWhole) {
        await rewriteData(redis, folder);
        log.info({ folder }, 'All data was written again from memory.');
      }
      redis.shutdown('NOSAVE').catch(() => {}); // Starting again makes the socket.
    } catch (error) {
      if (!signal.aborted) say(notMadeAgain, fault(error));
    }
  }
}

const POLL_MS = 50;

/** Writes all data of a server from its memory into a folder, whose files were deleted. */
async function rewriteData(redis: Redis, folder: string): Promise<void> {
  await redis.config('SET', 'dir', folder);
  await redis.config('SET', 'appendonly', 'no');
  await redis.config('SET', 'appendonly', 'yes');
  for (;;) {
    const info = parseInfo(await redis.info('persistence'));
    const underWay = ['aof_rewrite_in_progress', 'aof_rewrite_scheduled'];
    if (underWay.every((field) => info.get(field) === '0')) {
      if (info.get('aof_last_bgrewrite_status') === 'ok') return;
      throw new Error('The data could not be written.');
    }
    await pause(POLL_MS);
  }
}
