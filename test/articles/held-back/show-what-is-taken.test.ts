import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  showWhatIsTaken,
  TRIES_AT_MOST,
} from '../../../src/articles/held-back/show-what-is-taken.ts';

/** A message of so many of these candidates that Discord refuses if it names a bad one. */
async function show(candidates: readonly string[], bad: ReadonlySet<string>, count: number) {
  let shown: string[] | null = null;
  let tries = 0;
  const of = (may: (id: string) => boolean) => candidates.filter(may).slice(0, count);
  const found = await showWhatIsTaken({
    wanted: async (refused) => of((id) => !refused.has(id)),
    async show(only) {
      tries += 1;
      const named = of((id) => only.has(id));
      if (named.some((id) => bad.has(id))) return 'refused';
      shown = named;
      return 'taken';
    },
  });
  return { shown: shown as string[] | null, tries, refused: [...found.refused] };
}

test('a message names all articles that Discord takes, and each refused one is found, in a bounded number of tries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 2, maxLength: 30 }), async (isBad) => {
      const candidates = isBad.map((_, at) => String(at));
      const bad = new Set(candidates.filter((_, at) => isBad[at]));
      if (bad.size === 0) return;
      const { shown, refused, tries } = await show(candidates, bad, 30);
      const good = candidates.filter((id) => !bad.has(id));
      expect(shown).toEqual(good.length === 0 ? null : good);
      expect(new Set(refused)).toEqual(bad);
      expect(tries).toBeLessThan(2 * candidates.length);
    }),
  );
});

test('what takes the place of a refused article is tried as well', async () => {
  const candidates = ['a', 'b', 'c', 'd', 'e', 'f'];
  const found = await show(candidates, new Set(['b', 'd']), 3);
  expect(found.shown).toEqual(['a', 'c', 'e']);
  expect(found.refused).toEqual(['b', 'd']);
});

test('one refused article of ten costs few tries', async () => {
  const candidates = Array.from({ length: 10 }, (_, at) => String(at));
  expect((await show(candidates, new Set(['7']), 10)).tries).toBeLessThanOrEqual(6);
});

test('the tries end, however many articles Discord refuses', async () => {
  const candidates = Array.from({ length: 500 }, (_, at) => String(at));
  const { shown, tries } = await show(candidates, new Set(candidates), 10);
  expect(shown).toBeNull();
  expect(tries).toBeLessThanOrEqual(TRIES_AT_MOST);
});

test('a message that Discord takes with so many articles and no more blames none of them, and names the first', async () => {
  const candidates = Array.from({ length: 10 }, (_, at) => String(at));
  let shown: string[] = [];
  const found = await showWhatIsTaken({
    wanted: async (refused) => candidates.filter((id) => !refused.has(id)),
    async show(only) {
      if (only.size > 4) return 'refused';
      shown = [...only];
      return 'taken';
    },
  });
  expect(found.isOfNumber).toBe(true);
  expect(new Set(shown)).toEqual(found.taken);
  expect(shown).toEqual(['0', '1', '2', '3']);
});
