import { expect, test } from 'vitest';
import { nextAct } from '../../src/board/board-rules.ts';
import { NO_STATE } from '../../src/board/stored-board.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';

test('a board asks Discord seven times an hour at most, but for what must leave it', () => {
  const now = 10 * HOUR_MS;
  const requestsMs = Array.from({ length: 7 }, (_, n) => now - (59 - n) * MINUTE_MS);
  const state = { ...NO_STATE, message: '1', articles: ['2'], shown: 'before', requestsMs };
  const picture = { articles: ['3'], shown: 'after' };
  const actAt = (atMs: number, mustLeave: boolean) =>
    nextAct(state, picture, { now: atMs, replaceFromMs: 0, hasSunk: false, mustLeave });
  expect([actAt(now, false), actAt(now, true)]).toEqual(['nothing', 'edit']);
  expect(actAt(now + 2 * MINUTE_MS, false)).toBe('edit');
});
