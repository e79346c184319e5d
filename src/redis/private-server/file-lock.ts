import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** A lock that the kernel drops when its last holder ends, whatever ended it. */
export type FileLock = {
  /** Handed to a child process as one of its stdio, it makes the child a holder too. */
  fd: number;
  /** Gives up this process's hold; a child that inherited the lock keeps it. */
  release(): Promise<void>;
};

export type LockOutcome =
  | { status: 'locked'; lock: FileLock }
  | { status: 'held' }
  /** This system has neither flock nor perl: the lock is granted, but it excludes nobody. */
  | { status: 'unguarded'; lock: FileLock };

const retryMs = 50;

/**
 * Locks a file, which is made when it is missing, and waits up to `waitMs` for another holder.
 *
 * Node has no flock(2). A lock belongs to the open file and not to the process that asked for it,
 * so a child that locks an inherited descriptor and ends leaves the lock with us.
 */
export async function lockFile(
  path: string,
  waitMs = 0,
  signal?: AbortSignal,
): Promise<LockOutcome> {
  const file = await open(path, 'a+', 0o600);
  const deadline = performance.now() + waitMs;
  for (;;) {
    const status = await tryLock(file);
    if (status === 'locked' || status === 'unguarded') {
      return { status, lock: { fd: file.fd, release: () => file.close() } };
    }
    if (performance.now() >= deadline || signal?.aborted) {
      await file.close();
      return { status };
    }
    await pause(retryMs);
  }
}

const lockers = [
  ['flock', '-n', '3'],
  ['perl', '-e', 'open(F, "+<&=3") or exit 2; exit(flock(F, 6) ? 0 : 1)'], // LOCK_EX | LOCK_NB
] as const;

async function tryLock(file: FileHandle): Promise<'locked' | 'held' | 'unguarded'> {
  for (const [command, ...args] of lockers) {
    const code = await exitCode(
      spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore', file.fd] }),
    );
    if (code === 0) return 'locked';
    if (code === 1) return 'held';
  }
  return 'unguarded';
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  } catch {
    return null; // There is no such command.
  }
}
