import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { HOUR_MS, startClock } from '../../src/runtime/clock.ts';
import { askedOnce } from '../../src/runtime/asked-once.ts';
import { openMutex } from '../../src/runtime/mutex.ts';
import { forEach } from '../../src/runtime/for-each.ts';
import { freeBytes } from '../../src/runtime/free-bytes.ts';
import { tellServiceManager } from '../../src/runtime/service-manager.ts';

const folder = mkdtempSync(join(tmpdir(), 'frontpage-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what fails stops none of the others, and is told when all were tried', async () => {
  const tried: number[] = [];
  const work = async (n: number) => {
    tried.push(n);
    if (n !== 2) throw new Error(`No ${n}.`);
  };
  await expect(forEach([1, 2, 3], work)).rejects.toThrow('No 1.');
  expect(tried).toEqual([1, 2, 3]);
  await forEach([2], work);
});

test('work on one subject is done one at a time in its order, also after a failure, and on others meanwhile', async () => {
  const mutex = openMutex();
  const said: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (subject: string, name: string) =>
    mutex(subject, async () => {
      said.push(`${name} begins`);
      await new Promise<void>((resolve) => ends.push(resolve));
      said.push(`${name} ends`);
      if (name === 'first') throw new Error('No.');
      return name;
    });
  const works = [begin('a', 'first'), begin('a', 'second'), begin('b', 'other')];
  await expect.poll(() => ends.length).toBe(2);
  expect(said).toEqual(['first begins', 'other begins']);
  ends[0]!();
  await expect(works[0]).rejects.toThrow('No.');
  await expect.poll(() => ends.length).toBe(3);
  for (const end of ends) end();
  expect(await Promise.all(works.slice(1))).toEqual(['second', 'other']);
  expect(said.indexOf('second begins')).toBeGreaterThan(said.indexOf('first ends'));
});

test('what is asked once is not asked again, whatever the answer was', () => {
  const questions: string[] = [];
  const ask = askedOnce((question: string) => {
    questions.push(question);
    return question === 'yes' ? true : undefined;
  });
  expect(['yes', 'no', 'yes', 'no'].map(ask)).toEqual([true, undefined, true, undefined]);
  expect(questions).toEqual(['yes', 'no']);
});

test.each([
  ['an hour', String(HOUR_MS), HOUR_MS],
  ['minus an hour', `-${HOUR_MS}\n`, -HOUR_MS],
  ['no number', 'soon', 0],
  ['a part of a millisecond', '0.5', 0],
  ['nothing', undefined, 0],
])('a clock whose file says %s goes by it, or by the machine alone', (_, text, offsetMs) => {
  const file = join(folder, `offset-${offsetMs}-${text?.length}`);
  if (text !== undefined) writeFileSync(file, text);
  const clock = startClock(file);
  const aheadMs = clock.now() - Date.now();
  clock.stop();
  expect(Math.abs(aheadMs - offsetMs)).toBeLessThan(1000);
  expect(Number.isInteger(clock.now())).toBe(true);
});

test('the room on a disk is known, and a folder that is not there has none', () => {
  expect(freeBytes(folder)).toBeGreaterThan(0);
  expect(() => freeBytes(join(folder, 'none'))).toThrow('ENOENT');
});

test('systemd is told what the process does where the unit asks for it, and its absence stops nothing', async () => {
  const told = join(folder, 'told');
  const program = join(folder, 'systemd-notify');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${told}\n`);
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  vi.stubEnv('NOTIFY_SOCKET', undefined);
  await tellServiceManager('READY=1');
  vi.stubEnv('NOTIFY_SOCKET', '/run/notify');
  await tellServiceManager('STOPPING=1', 'STATUS=Ends');
  vi.stubEnv('PATH', join(folder, 'none'));
  await tellServiceManager('WATCHDOG=1');
  vi.unstubAllEnvs();
  expect(readFileSync(told, 'utf8')).toBe('STOPPING=1 STATUS=Ends\n');
});
