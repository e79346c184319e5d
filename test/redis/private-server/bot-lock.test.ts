import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FileLock, lockFile, lockForBot } from '../../../src/redis/private-server/bot-lock.ts';
import { recordLog } from '../../fixtures/record-log.ts';

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

test('a second bot is refused with the process of the first, and begins when that has ended', async () => {
  const { log, text } = recordLog();
  const first = await lockForBot(folder, log);
  // One that has not yet said who it is.
  const other = mkdtempSync(join(folder, 'other-'));
  const silent = await lockFile(join(other, 'bot.lock'));
  const refused = [folder, other].map(async (one) =>
    lockForBot(one, log).catch((error: unknown) => error),
  );
  expect(await Promise.all(refused)).toMatchObject(
    [process.pid, 'unknown'].map((holder) => ({
      message: expect.stringContaining(`Another Frontpage (process ${holder}) uses`) as string,
      code: 75,
    })),
  );
  await silent!.file.close();
  await first.file.close();
  await (await lockForBot(folder, log)).file.close();
  expect(text()).toBe('');
});

test('a bot that begins while a child of a killed one still holds the lock waits for it', async () => {
  const { log } = recordLog();
  const held = await lockFile(join(folder, 'bot.lock'));
  const waiting = lockForBot(folder, log);
  // It has been refused by then.
  expect(await lockFile(join(folder, 'bot.lock'))).toBeNull();
  await held!.file.close();
  await (await waiting).file.close();
});

test('where nothing can lock, a bot starts and says that a second one is not kept away', async () => {
  const { log, text } = recordLog();
  vi.stubEnv('PATH', folder);
  const lock = await lockForBot(folder, log);
  vi.unstubAllEnvs();
  expect(lock.guarded).toBe(false);
  expect(text()).toContain('A second Frontpage cannot be kept away');
  expect(readFileSync(join(folder, 'bot.lock'), 'utf8')).toBe(`${process.pid}\n`);
  await lock.file.close();
});
