import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ServerBinary } from './binary.ts';
import { ServerUnavailable } from './unavailable.ts';

/** From version 7 on, the data is several files that a manifest lists; before, it is one file. */
const partsFolder = 'appendonlydir';
const manifest = join(partsFolder, 'appendonly.aof.manifest');
const singleFile = 'appendonly.aof';

type DataState = 'none' | 'present' | 'without manifest';

/** The state of the data that a server would load from `folder`. */
export async function lookForData(folder: string): Promise<DataState> {
  if (await exists(join(folder, manifest))) return 'present';
  if (await exists(join(folder, singleFile))) return 'present';
  const parts = await readdir(join(folder, partsFolder)).catch(() => []);
  return parts.length === 0 ? 'none' : 'without manifest';
}

/** Whether the data cannot be loaded as it is. False where there is none. */
export async function isDamaged(folder: string, binary: ServerBinary): Promise<boolean> {
  if ((await lookForData(folder)) !== 'present') return false;
  return (await check(folder, binary, false)) === 'damaged';
}

/** Copies the data before a repair. Returns the copy's folder. */
export async function copyAside(folder: string): Promise<string> {
  const copy = await mkdtemp(join(folder, 'damaged-'));
  try {
    for (const name of [partsFolder, singleFile]) {
      const path = join(folder, name);
      if (await exists(path)) await cp(path, join(copy, name), { recursive: true });
    }
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw ServerUnavailable.from(error, `the copy of the damaged data in ${folder}`);
  }
  return copy;
}

/** Cuts the data off where it becomes unreadable. False where that is not in its last file. */
export async function cutDamage(folder: string, binary: ServerBinary): Promise<boolean> {
  return (await check(folder, binary, true)) === 'whole';
}

export async function removeData(folder: string): Promise<void> {
  await rm(join(folder, partsFolder), { recursive: true, force: true });
  await rm(join(folder, singleFile), { force: true });
}

/** The bytes of all data in a folder. */
export async function measureData(folder: string): Promise<number> {
  const paths = await readdir(join(folder, partsFolder)).catch(() => []);
  let bytes = 0;
  for (const path of [...paths.map((name) => join(partsFolder, name)), singleFile]) {
    const entry = await stat(join(folder, path)).catch(() => null);
    bytes += entry?.size ?? 0;
  }
  return bytes;
}

/** The checker is the server's own program, which looks at the name it is called by. */
async function check(
  folder: string,
  { command, argv0 }: ServerBinary,
  fix: boolean,
): Promise<'whole' | 'damaged' | 'unknown'> {
  const file = join(folder, (await exists(join(folder, manifest))) ? manifest : singleFile);
  const child = spawn(command, fix ? ['--fix', file] : [file], {
    argv0: basename(argv0).replace('server', 'check-aof'),
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {}); // It may end without a question.
  child.stdin.end('y\n');
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
    child.once('error', () => resolve(null));
  });
  const [code, said] = await Promise.all([ended, text(child.stdout)]);
  if (code === 0) return 'whole';
  return said.includes('AOF') ? 'damaged' : 'unknown';
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
