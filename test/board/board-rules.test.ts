import { expect, test } from 'vitest';
import { nextAct, rested, withRequest } from '../../src/board/board-rules.ts';
import { type BoardState, NO_STATE } from '../../src/board/stored-board.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';

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

const now = 3 * DAY_MS;
/** It stands since yesterday, and shows what there is to show. */
const standing: BoardState = {
  ...NO_STATE,
  message: '1',
  articles: ['2'],
  shown: 'same',
  postedAtMs: now - DAY_MS,
  editedAtMs: now - 5 * MINUTE_MS,
};
const resting = { restMs: HOUR_MS, restUntilMs: now + 1 };
const wasResting = { restMs: HOUR_MS, restUntilMs: now };
/** So many requests were sent in this hour. */
const after = (requests: number) => ({ requestsMs: Array<number>(requests).fill(now) });
const other = { shown: 'other' };
const moved = { ...other, articles: ['3'] };
const sunk = { hasSunk: true };
const leaving = { mustLeave: true };

test.each<[string, string, Partial<BoardState>, object, object]>([
  ['shows what there is', 'nothing', {}, {}, {}],
  ['is not there', 'post', { message: null }, {}, {}],
  ['was deleted', 'nothing', { message: null, deleted: true }, {}, {}],
  ['was deleted, also where something must leave', 'nothing', { deleted: true }, moved, leaving],
  ['has another order five minutes later', 'nothing', {}, moved, {}],
  ['has another order ten minutes later', 'edit', { editedAtMs: now - 10 * MINUTE_MS }, moved, {}],
  [
    'has other numbers ten minutes later',
    'nothing',
    { editedAtMs: now - 10 * MINUTE_MS },
    other,
    {},
  ],
  ['has other numbers an hour later', 'edit', { editedAtMs: now - HOUR_MS }, other, {}],
  ['shows what must leave', 'edit', {}, moved, leaving],
  ['has lost already what must leave', 'nothing', {}, {}, leaving],
  [
    'is not there, with room for a search and a post',
    'post',
    { message: null, ...after(5) },
    {},
    {},
  ],
  ['is not there, with room for one request', 'nothing', { message: null, ...after(6) }, {}, {}],
  [
    'sank and changed, with room for three requests',
    'replace',
    { changed: true, ...after(4) },
    {},
    sunk,
  ],
  ['sank and changed, with room for two', 'nothing', { changed: true, ...after(5) }, {}, sunk],
  ['rests', 'nothing', resting, moved, sunk],
  ['rests and shows what must leave', 'replace', resting, moved, leaving],
  ['rests and has lost what must leave', 'nothing', resting, {}, leaving],
  ['rests and is not there', 'nothing', { ...resting, message: null }, moved, leaving],
  ['sank and changed', 'replace', { changed: true }, {}, sunk],
  ['sank and is to change', 'replace', {}, other, sunk],
  ['sank, though nothing changed', 'nothing', {}, {}, sunk],
  ['changed and did not sink', 'nothing', { changed: true }, {}, {}],
  ['changed where edits were limited', 'replace', { changed: true, ...wasResting }, {}, {}],
  ['sank and is of today', 'nothing', { changed: true, postedAtMs: now - 1 }, {}, sunk],
  [
    'sank before the hour came',
    'nothing',
    { changed: true },
    {},
    { ...sunk, replaceFromMs: now + 1 },
  ],
])('of a board that %s, the next act is: %s', (_, act, state, picture, at) => {
  const circumstances = { now, replaceFromMs: now - 1, hasSunk: false, mustLeave: false, ...at };
  const shown = { articles: ['2'], shown: 'same', ...picture };
  expect(nextAct({ ...standing, ...state }, shown, circumstances)).toBe(act);
});

test('a board rests twice as long each time, half a day at most, and never less than Discord said', () => {
  const rests: number[] = [];
  let state = NO_STATE;
  for (let n = 0; n < 8; n += 1) {
    state = { ...state, ...rested(state, now) };
    expect(state.restUntilMs).toBe(now + state.restMs);
    rests.push(state.restMs / MINUTE_MS);
  }
  expect(rests).toEqual([10, 20, 40, 80, 160, 320, 640, 720]);
  expect(rested(NO_STATE, now, HOUR_MS + 0.5).restMs).toBe(HOUR_MS + 1);
  expect(rested(state, now, MINUTE_MS).restMs).toBe(12 * HOUR_MS);
});

test('a board remembers its requests of the last hour alone', () => {
  // One is of a time to which the clock was set before.
  const requestsMs = [now - HOUR_MS, now - HOUR_MS + 1, now - 1, now + 1];
  expect(withRequest({ ...NO_STATE, requestsMs }, now).requestsMs).toEqual([
    now - HOUR_MS + 1,
    now - 1,
    now,
  ]);
});
