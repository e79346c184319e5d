import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** A unix socket's path may have 108 bytes on Linux and 104 on macOS, its end mark included. */
const longestPath = 103;
const nameBytes = '/frontpage-0123456789abcdef/redis-99.sock'.length;

/**
 * A path for the socket of the server with its data in `folder`, in a temporary folder that only
 * this user may enter. It is the same at every start, unless a stranger has taken it.
 */
export async function findSocketPlace(folder: string): Promise<string> {
  const place = await ownFolder(folder);
  for (let number = 1; ; number++) {
    const path = join(place, number === 1 ? 'redis.sock' : `redis-${number}.sock`);
    if (await isFree(path)) return path;
  }
}

async function ownFolder(folder: string): Promise<string> {
  const temporary = Buffer.byteLength(tmpdir()) + nameBytes <= longestPath ? tmpdir() : '/tmp';
  const key = createHash('sha256').update(`${userInfo().uid}:${folder}`).digest('hex').slice(0, 16);
  const path = join(temporary, `frontpage-${key}`);
  if (await claimFolder(path)) return path;
  // Everyone may make entries in the temporary folder, so that the name can be another user's.
  return mkdtemp(join(temporary, 'frontpage-'));
}

/** Makes a folder that only this user may enter; false if there is one that is not ours. */
export async function claimFolder(path: string): Promise<boolean> {
  await mkdir(path, { mode: 0o700 }).catch(() => {}); // What stands there is looked at next.
  const entry = await lstat(path).catch(() => null);
  if (!entry?.isDirectory() || entry.uid !== userInfo().uid) return false;
  await chmod(path, 0o700);
  return true;
}

/** Removes what a server that has ended leaves: its socket when it was killed, and its folder. */
export async function leaveSocketPlace(socket: string): Promise<void> {
  await rm(socket, { force: true });
  await rmdir(dirname(socket)).catch(() => {}); // Something else lives in it.
}

/** Redis removes what stands at its socket's path, so nothing that lives may stand there. */
async function isFree(path: string): Promise<boolean> {
  const entry = await lstat(path).catch(() => null);
  if (entry === null) return true;
  return entry.isSocket() && !(await isAnswered(path));
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
