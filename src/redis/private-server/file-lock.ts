import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';

/** A lock that the kernel drops when its holder ends, whatever ended it. */
export type FileLock = {
  /** False without flock and perl, and on a file system without locks: the lock excludes nobody. */
  guarded: boolean;
  release(): Promise<void>;
};

/**
 * Locks a file, which is made if it is missing. Null if another process holds the lock.
 *
 * Node has no flock(2). A lock belongs to the open file and not to the process that asked for it,
 * so a child that locks an inherited descriptor and ends leaves the lock with us.
 */
export async function lockFile(path: string): Promise<FileLock | null> {
  const file = await open(path, 'a+', 0o600);
  for (const [command, ...args] of lockers) {
    const stdio = ['ignore', 'ignore', 'ignore', file.fd] as const;
    const code = await exitCode(spawn(command, args, { stdio: [...stdio] }));
    if (code === 0) return asLock(file, true);
    if (code === 1) {
      await file.close();
      return null;
    }
  }
  return asLock(file, false);
}

const lockers = [
  ['flock', '-n', '3'],
  ['perl', '-e', 'open(F, "+<&=3") or exit 2; exit(flock(F, 6) ? 0 : $!{EWOULDBLOCK} ? 1 : 2)'], // LOCK_EX | LOCK_NB
] as const;

function asLock(file: FileHandle, guarded: boolean): FileLock {
  return { guarded, release: () => file.close() };
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  } catch {
    return null; // There is no such command.
  }
}
