import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { ServerUnavailable } from './unavailable.ts';

/** The entries of `dataDir` that are looked at. It may be a folder with much else in it. */
const entriesAtMost = 1000;

/**
 * Makes `dataDir`/redis, where the server has its data, and returns its path without links. Both folders
 * and what they hold become private to this user, whatever they were. `dataDir` may be a link; a link
 * below it that would be written through is refused.
 */
export async function openFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'redis');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const top = await realpath(dataDir);
    const path = join(top, 'redis');
    await refuseForeign(await realpath(path));
    const { uid, mode } = await lstat(top);
    // A folder of somebody else, or one that is made to be shared, is not ours to close.
    if (uid === process.getuid?.() && (mode & 0o1000) === 0) await makePrivate(top, entriesAtMost);
    await refuseLink(path);
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

/** The files that the bot and its server write. */
function isWritten(name: string): boolean {
  return /^(redis\.conf|server\.log|bot\.lock|appendonly)/.test(name);
}

async function refuseLink(path: string): Promise<void> {
  if (!(await lstat(path)).isSymbolicLink()) return;
  throw new ServerUnavailable(
    `${path} is a link, which would be written through: put there what it leads to, or remove the link. To have the data elsewhere, set DATA_DIR.`,
    'setup',
  );
}

/** What root writes there could not be read by the bot afterwards. */
async function refuseForeign(folder: string): Promise<void> {
  const { uid } = await lstat(folder);
  if (uid === process.getuid?.()) return;
  throw new ServerUnavailable(
    `The folder ${folder} belongs to another user (number ${uid}): start the bot and do this beside it, do it as that user, for example with sudo -u '#${uid}', or set another DATA_DIR.`,
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

const neededBytes = 64 * 1024;

/** A server starts on a full disk with the data that it has, and then refuses every vote. */
export async function tryRoom(folder: string): Promise<void> {
  const path = join(folder, 'try.room');
  try {
    await writeFile(path, Buffer.alloc(neededBytes));
  } finally {
    await rm(path, { force: true });
  }
}

/** A unix socket's path may have 108 bytes on Linux and 104 on macOS, its end mark included. */
const longestPath = 103;
const socketName = 'redis.sock';

/**
 * A path for the server's socket: in its folder, beside the data, where every program of this user
 * finds it. A path that is too long, or a file system without sockets, needs a folder elsewhere.
 */
export async function chooseSocket(folder: string): Promise<string> {
  const path = join(folder, socketName);
  if (Buffer.byteLength(path) <= longestPath && (await canListen(folder))) return path;
  return join(await mkdtemp('/tmp/frontpage-'), socketName);
}

async function canListen(folder: string): Promise<boolean> {
  const path = join(folder, 'try.sock');
  await rm(path, { force: true });
  const server = createServer().listen(path);
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close(); // This removes the socket.
  }
}

/** Removes the socket that a killed server left, and its folder. */
export async function removeSocket(socket: string, folder: string): Promise<void> {
  await rm(socket, { force: true });
  if (dirname(socket) !== folder) await rmdir(dirname(socket)).catch(() => {}); // It may be gone.
}
