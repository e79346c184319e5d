import { expect, test, vi } from 'vitest';
import { openPageCache } from '../../src/web/pages/page-cache.ts';

const budget = { turn: <T>(_: string, work: () => Promise<T>) => work() };

test('what was used longest ago makes room where the pages of a process have become too large', async () => {
  const cache = openPageCache({ stamp: () => 'same', budget });
  const reads: string[] = [];
  const read = (key: string) =>
    cache.data('1', key, async () => {
      reads.push(key);
      return new Uint8Array(9_000_000);
    });
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'd', 'b']) await read(key);
  // 32 MB have room for three: the fourth took the place of `b`.
  expect(reads).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('a page that is made anew while it is still made takes the place of one, so that others keep theirs', async () => {
  let stamp = 0;
  const cache = openPageCache({ stamp: () => String(stamp), budget });
  const reads: string[] = [];
  const read = (key: string, length: number) =>
    cache.data('1', key, async () => {
      reads.push(key);
      return new Uint8Array(length);
    });
  // Each change comes while the page of before is made.
  const all = Array.from({ length: 3 }, () => {
    stamp += 1;
    return read('a', 8_000_000);
  });
  await Promise.all(all);
  reads.length = 0;
  for (const key of ['b', 'b', 'a']) await read(key, 10_000_000);
  expect(reads).toEqual(['b']);
});

test('a page that could not be read is read again at the next visit', async () => {
  const cache = openPageCache({ stamp: () => 'same', budget });
  let reads = 0;
  const read = () =>
    cache.data('1', 'list', async () => {
      reads += 1;
      if (reads === 1) throw new Error('No list.');
      return 'made';
    });
  await expect(read()).rejects.toThrow('No list.');
  expect([await read(), await read(), reads]).toEqual(['made', 'made', 2]);
});

test('a page is read anew after a quarter of a minute, also if no change was told', async () => {
  const cache = openPageCache({ stamp: () => 'same', budget });
  let reads = 0;
  const read = () => cache.data('1', 'list', async () => ++reads);
  expect([await read(), await read()]).toEqual([1, 1]);
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 15_001);
  expect(await read()).toBe(2);
  now.mockRestore();
});
