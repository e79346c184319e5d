import { chmod, lstat, mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SOCKET_NAME } from './server-config.ts';
import { ServerUnavailable } from './unavailable.ts';

/** The entries of `dataDir` that are looked at. It may be a folder with much else in it. */
const ENTRIES_AT_MOST = 10_000;

/** A unix socket's path may have 108 bytes on Linux and 104 on macOS, its end mark included. */
const LONGEST_SOCKET = 103;

/** Where the server of a folder listens. */
export function socketOf(folder: string): string {
  return join(folder, SOCKET_NAME);
}

/**
 * Makes `dataDir`/redis, where the server has its data, and returns its path without links. Both folders
 * and what they hold become private to this user, whatever they were. In a folder that is made to be
 * shared, such as /tmp, these are `redis` and the backups. `dataDir` may be a link; a link below it that
 * would be written through is refused.
 */
export async function openFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'redis');
  try {
    await makeFolder(dataDir);
    const top = await realpath(dataDir);
    if (process.getuid?.() === 0) await refuseForeign(top);
    const path = join(top, 'redis');
    await makeFolder(path);
    await refuseForeign(await realpath(path));
    const { uid, mode } = await lstat(top);
    // A folder of somebody else, or one that is made to be shared, is not ours to close.
    if (uid === process.getuid?.() && (mode & 0o1000) === 0)
      await makePrivate(top, ENTRIES_AT_MOST);
    else await makeBackupsPrivate(top);
    await refuseLink(path);
    refuseLong(path);
    await makePrivate(path);
    for (const name of await readdir(path)) if (isWritten(name)) await refuseLink(join(path, name));
    const parts = join(path, 'appendonlydir');
    for (const name of await readdir(parts).catch(() => [])) await refuseLink(join(parts, name));
    return path;
  } catch (error) {
    if (error instanceof ServerUnavailable) throw error;
    throw ServerUnavailable.from(error, folder);
  }
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

/** The files that the bot and its server write. */
function isWritten(name: string): boolean {
  return /^(redis\.conf|server\.log|bot\.lock|appendonly)/.test(name);
}

function refuseLong(folder: string): void {
  const socket = socketOf(folder);
  const bytes = Buffer.byteLength(socket);
  if (bytes <= LONGEST_SOCKET) return;
  throw new ServerUnavailable(
    `${socket} is too long for a socket (${bytes} bytes, and ${LONGEST_SOCKET} are possible): set DATA_DIR to a folder with a shorter path.`,
    'config',
  );
}

async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path);
  // Snapshots of the data are often made of hard links to its parts, which are only ever appended to.
  const isSecondName = found.isFile() && found.nlink > 1 && !path.includes('appendonly');
  if (!found.isSymbolicLink() && !isSecondName) return;
  throw new ServerUnavailable(
    `${path} is a link, which would be written through: put there what it leads to, or remove the link. To have the data elsewhere, set DATA_DIR.`,
    'unavailable',
  );
}

/** What root writes there could not be read by the user of the bot afterwards. */
async function refuseForeign(folder: string): Promise<void> {
  const { uid } = await lstat(folder);
  if (uid === process.getuid?.()) return;
  throw new ServerUnavailable(
    `The folder ${folder} belongs to another user (number ${uid}): start the bot as that user, beside which root may then use it, or set another DATA_DIR.`,
    'permission',
  );
}

/**
 * Changes a folder before what is in it: then no other user can replace its files by links. Goes through
 * the folders level by level, so that a bound leaves out the deepest.
 */
async function makePrivate(top: string, atMost = Number.POSITIVE_INFINITY): Promise<void> {
  const folders = [top];
  let seen = 0;
  for (const folder of folders) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if ((seen += 1) > atMost) return;
      const path = join(folder, entry.name);
      const { uid, mode } = await lstat(path);
      // Such as a backup that root made here: only its owner may change it.
      if (uid !== process.getuid?.()) continue;
      if (entry.isFile()) await chmod(path, 0o600 | (mode & 0o100));
      else if (entry.isDirectory()) folders.push(path);
    }
  }
}

async function makeBackupsPrivate(top: string): Promise<void> {
  for (const name of await readdir(top)) {
    if (!/^frontpage-.*\.(?:backup|ndjson)(?:\.gz)?$/.test(name)) continue;
    const found = await lstat(join(top, name));
    if (found.isFile() && found.uid === process.getuid?.()) await chmod(join(top, name), 0o600);
  }
}

const NEEDED_BYTES = 64 * 1024;

/** A server starts on a full disk with the data that it has, and then refuses every vote. */
export async function tryRoom(folder: string): Promise<void> {
  const path = join(folder, 'try.room');
  await rm(path, { force: true });
  try {
    // A new file: what stands there now may be a link to somebody's file.
    await writeFile(path, Buffer.alloc(NEEDED_BYTES), { flag: 'wx', mode: 0o600 });
  } finally {
    await rm(path, { force: true });
  }
}
