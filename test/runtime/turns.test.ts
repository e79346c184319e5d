import { expect, test } from 'vitest';
import { openTurns } from '../../src/runtime/turns.ts';

/** Does works of some steps at the same time, and returns whose step began when. */
async function orderOf(works: readonly (readonly [owner: string, steps: number])[]) {
  const turns = openTurns();
  const order: string[] = [];
  let running = 0;
  await Promise.all(
    works.map(async ([owner, steps], n) => {
      const work = turns.begin(owner);
      for (let step = 0; step < steps; step += 1) {
        const end = await work.step();
        order.push(`${owner}${n}`);
        expect((running += 1)).toBe(1);
        await Promise.resolve();
        running -= 1;
        end();
        end();
      }
    }),
  );
  return order.join(' ');
}

test('owners take turns, so that the long work of one does not hold up that of others', async () => {
  expect(
    await orderOf([
      ['a', 4],
      ['b', 2],
      ['c', 1],
    ]),
  ).toBe('a0 b1 c2 a0 b1 a0 a0');
});

test('of one owner, the work that began first is done first', async () => {
  expect(
    await orderOf([
      ['a', 2],
      ['a', 2],
      ['b', 3],
    ]),
  ).toBe('a0 a0 b2 a1 b2 a1 b2');
});

test('after a long step, everything else has as much time as it took', async () => {
  const turns = openTurns();
  const work = turns.begin('a');
  const end = await work.step();
  const startMs = performance.now();
  while (performance.now() - startMs < 30);
  end();
  const endMs = performance.now();
  expect(turns.waitingOf('a')).toBe(0);
  const next = work.step();
  expect(turns.waitingOf('a')).toBe(1);
  await next;
  expect(performance.now() - endMs).toBeGreaterThan(25);
});

test('where a step gets no answer, the others do not wait for it', async () => {
  const turns = openTurns();
  const endFirst = await turns.begin('a').step();
  // Each of these gets its turn, though no step has ended.
  const ends = await Promise.all(['a', 'a', 'b'].map((owner) => turns.begin(owner).step()));
  const endLater = await turns.begin('c').step();
  for (const end of [endFirst, endLater, ...ends]) end();
  // Steps that are answered take turns again.
  const answered = await turns.begin('a').step();
  answered();
  const one = await turns.begin('a').step();
  const other = turns.begin('b').step();
  expect(turns.waitingOf('b')).toBe(1);
  one();
  (await other)();
});
