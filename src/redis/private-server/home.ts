import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { fault, type Log } from '../../log.ts';
import { parseInfo } from '../server-info.ts';
import { lookForData } from './data-files.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { socketOf } from './folder.ts';
import { ServerUnavailable } from './unavailable.ts';

/** The folder of a running server, which this bot alone uses. */
export type Home = { folder: string; log: Log; lock: FileLock };

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
    log.warn(
      'A second Frontpage cannot be kept away from the data: flock and perl are missing, or its file system has no locks.',
    );
  }
  await writeFile(path, `${process.pid}\n`).catch((error: unknown) => {
    throw ServerUnavailable.from(error, path);
  });
  return lock;
}

/** Makes the folder again that somebody deleted. */
export async function makeAgain(home: Home): Promise<void> {
  await mkdir(home.folder, { recursive: true, mode: 0o700 });
  await home.lock.release();
  home.lock = await lockForBot(home.folder, home.log);
}

const CHECK_MS = 5000;

/** Makes files again that were deleted under a running server. */
export async function watchFiles(
  home: Home,
  connection: () => Redis,
  signal: AbortSignal,
): Promise<void> {
  const { folder, log } = home;
  let isSaid = false;
  for (;;) {
    await pause(CHECK_MS, undefined, { signal, ref: false }).catch(() => {});
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
