import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FileLock, lockFile } from '../../../src/redis/private-server/bot-lock.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontpage-test-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function lock(): Promise<FileLock> {
  const held = await lockFile(path);
  if (!held?.guarded) throw new Error('The lock was not granted.');
  return held;
}

test('a file is locked once until it is released', async () => {
  const first = await lock();
  expect(await lockFile(path)).toBeNull();
  await first.file.close();
  await (await lock()).file.close();
});

test.runIf(existsSync('/usr/bin/perl'))('without flock, perl locks as well', async () => {
  symlinkSync('/usr/bin/perl', join(folder, 'perl'));
  vi.stubEnv('PATH', folder);
  const first = await lock();
  expect(await lockFile(path)).toBeNull();
  await first.file.close();
  vi.unstubAllEnvs();
});

test('of many who ask at once, one gets the lock', async () => {
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => lockFile(path)));
  const granted = outcomes.filter((outcome) => outcome !== null);
  expect(granted).toHaveLength(1);
  for (const held of granted) await held.file.close();
});
