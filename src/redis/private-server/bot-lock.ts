import { spawnSync } from 'node:child_process';
import { type FileHandle, open, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CannotStart } from '../../runtime/cannot-start.ts';
import type { Log } from '../../runtime/log.ts';

/** A lock that the kernel drops when its holder ends, whatever ended it. Closing the file releases it. */
export type FileLock = {
  file: FileHandle;
  /** False without flock and perl, and on a file system without locks: the lock excludes nobody. */
  guarded: boolean;
};

const lockers = [
  ['flock', '-n', '3'],
  ['perl', '-e', 'open(F, "+<&=3") or exit 2; exit(flock(F, 6) ? 0 : $!{EWOULDBLOCK} ? 1 : 2)'], // LOCK_EX | LOCK_NB
] as const;

/**
 * Locks a file, which is made if it is missing. Null if another process holds the lock.
 *
 * Node has no flock(2). A lock belongs to the open file and not to the process that asked for it,
 * so a child that locks an inherited descriptor and ends leaves the lock with us.
 */
export async function lockFile(path: string): Promise<FileLock | null> {
  const file = await open(path, 'a+', 0o600);
  for (const [command, ...args] of lockers) {
    const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'ignore', file.fd] });
    if (status === 0) return { file, guarded: true };
    if (status === 1) {
      await file.close();
      return null;
    }
  }
  return { file, guarded: false };
}

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
    throw new CannotStart(
      `Another Frontpage (process ${holder}) uses the data in ${dirname(folder)}: end it first, or set another DATA_DIR for this one.`,
      'temporary',
    );
  }
  if (!lock.guarded) {
    log.warn(
      'A second Frontpage cannot be kept away from the data: flock and perl are missing, or its file system has no locks.',
    );
  }
  await writeFile(path, `${process.pid}\n`);
  return lock;
}
