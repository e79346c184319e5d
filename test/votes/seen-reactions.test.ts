import { expect, test } from 'vitest';
import { openSeenReactions } from '../../src/votes/seen-reactions.ts';
import type { Direction } from '../../src/ranking/row.ts';

const article = '3';
const member = '4';
const seen = () => {
  const reactions = openSeenReactions(1000);
  const hear = (direction: Direction, shown: boolean, emoji: string) =>
    reactions.hear({
      kind: 'reaction',
      guild: '1',
      channel: '2',
      article,
      member,
      direction,
      shown,
      emoji,
      burst: false,
      isBot: false,
      joinedAtMs: null,
      roles: null,
      atMs: 0,
    });
  return { hear, last: () => reactions.lastAdded(article, member) };
};

test('of two reactions that were both seen being added, the later one is the newer', () => {
  const { hear, last } = seen();
  hear('up', true, '👍');
  expect(last()).toBeNull();
  hear('down', true, '👎');
  expect(last()).toBe('down');
  hear('up', true, '👍');
  expect(last()).toBe('up');
});

test('a reaction that was taken back may be added again unseen, so nothing is said of it', () => {
  const { hear, last } = seen();
  hear('up', true, '👍');
  hear('down', true, '👎');
  hear('up', false, '👍');
  expect(last()).toBeNull();
  hear('up', true, '👍');
  expect(last()).toBe('up');
});

test('a reaction whose other skin tone is still shown is not taken back', () => {
  const { hear, last } = seen();
  hear('up', true, '👍');
  hear('up', true, '👍🏽');
  hear('down', true, '👎');
  hear('up', false, '👍');
  expect(last()).toBe('down');
});
