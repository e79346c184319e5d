import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ServerBinary } from './binary.ts';
import { ServerUnavailable } from './unavailable.ts';

/** From version 7 on, the data is several files that a manifest lists; before, it is one file. */
const PARTS_FOLDER = 'appendonlydir';
const manifest = join(PARTS_FOLDER, 'appendonly.aof.manifest');
const SINGLE_FILE = 'appendonly.aof';

type DataState = 'none' | 'present' | 'without manifest';

/** The state of the data that a server would load from `folder`. */
export async function lookForData(folder: string): Promise<DataState> {
  if (await exists(join(folder, manifest))) return 'present';
  if (await exists(join(folder, SINGLE_FILE))) return 'present';
  const parts = await readdir(join(folder, PARTS_FOLDER)).catch(
    ({ code }: NodeJS.ErrnoException) => (code === 'ENOTDIR' ? [PARTS_FOLDER] : []),
  );
  return parts.length === 0 ? 'none' : 'without manifest';
}

/** Copies the data before a repair. Returns the copy's folder. */
export async function copyAside(folder: string): Promise<string> {
  const copy = await mkdtemp(join(folder, 'damaged-'));
  try {
    for (const name of [PARTS_FOLDER, SINGLE_FILE]) {
      const path = join(folder, name);
      if (await exists(path)) await cp(path, join(copy, name), { recursive: true });
    }
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw ServerUnavailable.from(error, `the copy of the damaged data in ${folder}`);
  }
  return copy;
}

/** Puts the copy back in the place of the data. */
export async function putBack(copy: string, folder: string): Promise<void> {
  await removeData(folder);
  for (const name of await readdir(copy)) await rename(join(copy, name), join(folder, name));
  await rm(copy, { recursive: true });
}

/** Cuts the data off where it becomes unreadable, and returns the number of bytes. */
export async function cutDamage(folder: string, binary: ServerBinary): Promise<number> {
  const bytes = await measureData(folder);
  await repair(folder, binary);
  return bytes - (await measureData(folder));
}

export async function removeData(folder: string): Promise<void> {
  await rm(join(folder, PARTS_FOLDER), { recursive: true, force: true });
  await rm(join(folder, SINGLE_FILE), { force: true });
}

/** The bytes of all data in a folder. */
export async function measureData(folder: string): Promise<number> {
  const paths = await readdir(join(folder, PARTS_FOLDER)).catch(() => []);
  let bytes = 0;
  for (const path of [...paths.map((name) => join(PARTS_FOLDER, name)), SINGLE_FILE]) {
    const entry = await stat(join(folder, path)).catch(() => null);
    bytes += entry?.size ?? 0;
  }
  return bytes;
}

/** The checker is the server's own program, which looks at the name it is called by. */
async function repair(folder: string, { command, argv0 }: ServerBinary): Promise<void> {
  const file = join(folder, (await exists(join(folder, manifest))) ? manifest : SINGLE_FILE);
  const child = spawn(command, ['--fix', file], {
    argv0: basename(argv0).replace('server', 'check-aof'),
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => {}); // It may end without a question.
  child.stdin.end('y\n');
  await new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
