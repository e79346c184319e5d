import { expect, test } from 'vitest';
import { parseSigns, signsText, unlessThumbs } from '../../src/ranking/vote-signs.ts';

const UP = '<:up:123456789012345>';

test.each([
  ['👍 👎', { up: '👍', down: '👎', isDownOffered: true }],
  ['👍', { up: '👍', down: '👎', isDownOffered: false }],
  [`${UP} 👎`, { up: UP, down: '👎', isDownOffered: true }],
  [UP, { up: UP, down: '👎', isDownOffered: false }],
  [`🔥 (${UP})`, { up: '🔥', down: UP, isDownOffered: false }],
  // Discord can leave out the id.
  [':up: :down:', { up: ':up:', down: ':down:', isDownOffered: true }],
])('the signs %s are read as they were written', (text, signs) => {
  expect(parseSigns(text)).toEqual(signs);
  expect(signsText(signs)).toBe(text);
});

test.each(['', 'up', '👍 down', '👍 (down)', '👎', '🔥 🔥', '👍 👎 🔥', '<:up:1>'])(
  'the text “%s” is no signs',
  (text) => {
    expect(parseSigns(text)).toBeNull();
  },
);

test('an article says nothing of its signs where they are the thumbs, and where only up is offered it does', () => {
  expect(unlessThumbs({ up: '👍', down: '👎', isDownOffered: true })).toBeUndefined();
  const up = { up: '👍', down: '👎', isDownOffered: false };
  expect(unlessThumbs(up)).toEqual(up);
});
