import { expect, test } from 'vitest';
import { readRow } from '../../../sandbox/tour/article/row.ts';
import { encodeRow } from '../../../src/ranking/row.ts';

test.each([
  ['open', { closed: false, starred: false }],
  ['closed', { closed: true, starred: false }],
  ['closed with ★', { closed: true, starred: true }],
])('the view under the hood reads a row as the bot writes it: %s', (_, state) => {
  const row = encodeRow({
    id: '1541623765799010304',
    up: 12,
    down: 3,
    groups: ['11', '22'],
    poster: '33',
    linkHash: 'abcdefghijklmnop',
    channel: '44',
    locked: false,
    listed: true,
    ...state,
  });
  expect(readRow(row)).toEqual({ up: 12, down: 3, groups: ['11', '22'], ...state });
});
