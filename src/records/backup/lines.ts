import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInterface } from 'node:readline';
import { createGunzip, createGzip } from 'node:zlib';

/**
 * Writes lines, each with its line feed, compressed unless said; only the owner may read the file.
 * The name appears once all of it is on the disk. Throws where there is such a file.
 */
export async function writeLines(
  path: string,
  lines: AsyncIterable<string>,
  { isPacked = true } = {},
): Promise<void> {
  const partial = `${path}.partial`;
  await (await open(path, 'wx', 0o600)).close();
  try {
    const target = createWriteStream(partial, { mode: 0o600 });
    const pack = isPacked ? createGzip() : new PassThrough();
    await pipeline(Readable.from(lines, { highWaterMark: 64 }), pack, target);
    const file = await open(partial, 'r+');
    await file.sync();
    await file.close();
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    await rm(path, { force: true });
    throw error;
  }
}

/** The lines without their line feeds. Throws at the place where the file is cut or damaged. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const source = createReadStream(path);
  const unzipped = createGunzip();
  // Errors of the source reach whoever reads the other end.
  source.on('error', (error) => unzipped.destroy(error));
  const lines = createInterface({ input: source.pipe(unzipped), crlfDelay: Infinity });
  let fault: Error | undefined;
  unzipped.on('error', (error: Error) => {
    fault = error;
    lines.close();
  });
  for await (const line of lines) yield line;
  if (fault !== undefined) throw fault;
}
