import { chmod, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CannotStart } from '../../runtime/cannot-start.ts';
import { SOCKET_NAME } from './server-config.ts';

/** A unix socket's path may have 108 bytes on Linux and 104 on macOS, its end mark included. */
const LONGEST_SOCKET = 103;
/** The files that the bot and its server write. */
const WRITTEN = /^(redis\.conf|server\.log|bot\.lock|appendonly)/;
const BACKUP = /^frontpage-.*\.(?:backup|ndjson)(?:\.gz)?$/;

/** Where the server of a folder listens. */
export function socketOf(folder: string): string {
  return join(folder, SOCKET_NAME);
}

/**
 * Makes `dataDir`/redis, where the server has its data, and returns its path without links. Both folders
 * and their files become private to this user, whatever they were. In a folder that is made to be shared,
 * such as /tmp, these are `redis` and the backups. `dataDir` may be a link; a link below it that would be
 * written through is refused.
 */
export async function openFolder(dataDir: string): Promise<string> {
  await makeFolder(dataDir);
  const top = await realpath(dataDir);
  const { uid, mode } = await lstat(top);
  const isOurs = uid === process.getuid?.();
  // What root writes there could not be read by the user of the bot afterwards.
  if (process.getuid?.() === 0 && !isOurs) {
    throw new CannotStart(
      `The folder ${top} belongs to another user (number ${uid}): start the bot as that user, beside which root may then use it, or set another DATA_DIR.`,
      'permission',
    );
  }
  const path = join(top, 'redis');
  await makeFolder(path);
  await refuseLink(path);
  const socket = socketOf(path);
  const bytes = Buffer.byteLength(socket);
  if (bytes > LONGEST_SOCKET) {
    throw new CannotStart(
      `${socket} is too long for a socket (${bytes} bytes, and ${LONGEST_SOCKET} are possible): set DATA_DIR to a folder with a shorter path.`,
      'config',
    );
  }
  const isShared = !isOurs || (mode & 0o1000) !== 0;
  if (!isShared) await chmod(top, 0o700);
  // From here on, no other user can replace what is in it by links.
  await chmod(path, 0o700);
  for (const name of await readdir(path))
    if (WRITTEN.test(name)) await refuseLink(join(path, name));
  const parts = join(path, 'appendonlydir');
  for (const name of await readdir(parts).catch(() => [])) await refuseLink(join(parts, name));
  await makePrivate(top, isShared ? BACKUP : /./);
  await makePrivate(path, /./);
  return path;
}

/** Makes a private folder and those above it. With `recursive`, Node tries for ever in /proc. */
export async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  try {
    await make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path);
  // Snapshots of the data are often made of hard links to its parts, which are only ever appended to.
  const isSecondName = found.isFile() && found.nlink > 1 && !path.includes('appendonly');
  if (!found.isSymbolicLink() && !isSecondName) return;
  throw new CannotStart(
    `${path} is a link, which would be written through: put there what it leads to, or remove the link. To have the data elsewhere, set DATA_DIR.`,
    'unavailable',
  );
}

/** Closes the files of a folder that this user owns to others. */
async function makePrivate(folder: string, names: RegExp): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await lstat(path);
    const isOwn = found.isFile() && found.uid === process.getuid?.();
    if (isOwn && names.test(name)) await chmod(path, 0o600 | (found.mode & 0o100));
  }
}
