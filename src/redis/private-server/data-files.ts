import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { cannotUse } from '../../runtime/cannot-start.ts';
import { parseInfo } from '../server-info.ts';
import type { ServerBinary } from './binary.ts';

/** From version 7 on, the data is several files that a manifest lists; before, it is one file. */
const PARTS_FOLDER = 'appendonlydir';
const manifest = join(PARTS_FOLDER, 'appendonly.aof.manifest');
const SINGLE_FILE = 'appendonly.aof';

type DataState = 'none' | 'present' | 'without manifest';

/** The state of the data that a server would load from `folder`. */
export async function lookForData(folder: string): Promise<DataState> {
  if ([manifest, SINGLE_FILE].some((name) => existsSync(join(folder, name)))) return 'present';
  const parts = await readdir(join(folder, PARTS_FOLDER)).catch(
    ({ code }: NodeJS.ErrnoException) => (code === 'ENOTDIR' ? [PARTS_FOLDER] : []),
  );
  return parts.length === 0 ? 'none' : 'without manifest';
}

/** The server that wrote the data, such as `Valkey 8.0.1`; null where the data does not say it. */
export async function writerOfData(folder: string): Promise<string | null> {
  const parts = join(folder, PARTS_FOLDER);
  const names = await readdir(parts).catch(() => []);
  const base = names
    .filter((name) => name.endsWith('.base.rdb'))
    .sort()
    .at(-1);
  if (base === undefined) return null;
  const file = await open(join(parts, base), 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100), 0, 100, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    const [, engine, version] = /(redis|valkey)-ver.(\d+\.\d+\.\d+)/s.exec(head) ?? [];
    if (engine === undefined) return null;
    return `${engine === 'redis' ? 'Redis' : 'Valkey'} ${version}`;
  } finally {
    await file.close();
  }
}

/** Copies the data before a repair. Returns the copy's folder. */
export async function copyAside(folder: string): Promise<string> {
  const copy = await mkdtemp(join(folder, 'damaged-'));
  try {
    for (const name of [PARTS_FOLDER, SINGLE_FILE]) {
      const path = join(folder, name);
      if (existsSync(path)) await cp(path, join(copy, name), { recursive: true });
    }
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw cannotUse(`the copy of the damaged data in ${folder}`, error);
  }
  return copy;
}

/** Puts the copy back in the place of the data. */
export async function putBack(copy: string, folder: string): Promise<void> {
  await removeData(folder);
  for (const name of await readdir(copy)) await rename(join(copy, name), join(folder, name));
  await rm(copy, { recursive: true });
}

export async function removeData(folder: string): Promise<void> {
  await rm(join(folder, PARTS_FOLDER), { recursive: true, force: true });
  await rm(join(folder, SINGLE_FILE), { force: true });
}

/**
 * Cuts the data off where it becomes unreadable, if it can be read up to there. The checker is the
 * server's own program, which looks at the name it is called by.
 */
export async function cutDamage(folder: string, { command, argv0 }: ServerBinary): Promise<void> {
  const file = existsSync(join(folder, manifest)) ? manifest : SINGLE_FILE;
  const child = spawn(command, ['--fix', file], {
    argv0: argv0.replace('server', 'check-aof'),
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.on('error', () => {}); // It may end without a question.
  child.stdin.end('y\n');
  await once(child, 'exit').catch(() => {}); // There may be no such program.
}

const POLL_MS = 50;

/** Writes all data of a server from its memory into a folder, whose files were deleted. */
export async function rewriteData(redis: Redis, folder: string): Promise<void> {
  await redis.config('SET', 'dir', folder);
  await redis.config('SET', 'appendonly', 'no');
  await redis.config('SET', 'appendonly', 'yes');
  for (;;) {
    const info = parseInfo(await redis.info('persistence'));
    const underWay = ['aof_rewrite_in_progress', 'aof_rewrite_scheduled'];
    if (underWay.every((field) => info.get(field) === '0')) {
      if (info.get('aof_last_bgrewrite_status') === 'ok') return;
      throw new Error('The data could not be written.');
    }
    await pause(POLL_MS);
  }
}
