import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lchown, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Bytes } from './guild-file/read.ts';
import { makeFolder } from '../redis/private-server/folder.ts';

/**
 * Writes lines, each with its line feed, into a new file that only its owner may read. The file is
 * compressed if the name ends in `.gz`. Until all of it is on the disk, the name has an empty file. An
 * existing name is refused, so no link is followed.
 */
export async function writePrivately(path: string, lines: AsyncIterable<string>): Promise<void> {
  await makeFolder(dirname(path));
  const partial = `${path}.${randomUUID()}.partial`;
  await (await open(path, 'wx', 0o600)).close();
  try {
    const file = await open(partial, 'wx', 0o600);
    const pack = path.endsWith('.gz') ? createGzip() : new PassThrough();
    const target = file.createWriteStream({ flush: true });
    await pipeline(Readable.from(lines, { highWaterMark: 64 }), pack, target);
    await giveToOwnerOf(dirname(path), partial);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    await rm(path, { force: true });
    throw error;
  }
}

/** A file that root writes into the folder of a service must belong to the service's user. */
async function giveToOwnerOf(folder: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await lchown(file, uid, gid);
}

export function bytesOfFile(path: string, signal?: AbortSignal): Bytes {
  return () => createReadStream(path, { signal });
}
