import { expect, test } from 'vitest';
import { openSeenReactions } from '../../src/votes/seen-reactions.ts';
import type { Direction } from '../../src/ranking/row.ts';

const article = '3';
const member = '4';
const NOW = Date.UTC(2026, 0);
const seen = () => {
  const reactions = openSeenReactions(1000);
  const hear = (direction: Direction, shown: boolean, emoji: string, burst = false, atMs = NOW) =>
    reactions.hear({
      kind: 'reaction',
      guild: '1',
      channel: '2',
      article,
      member,
      direction,
      shown,
      emoji,
      burst,
      isBot: false,
      joinedAtMs: null,
      roles: null,
      atMs,
    });
  const clear = () => reactions.hear({ kind: 'clear', guild: '1', channel: '2', article, atMs: 0 });
  /** Whether the member may show another variant of an emoji. */
  const mayShowOther = (emoji: string, burst = false) =>
    reactions.noteVariant({ article, member, direction: 'up', emoji, burst });
  const wasCleared = (id = article) => reactions.wasJustCleared(id);
  return {
    hear,
    clear,
    mayShowOther,
    wasCleared,
    begin: () => reactions.beginSession(NOW),
    last: () => reactions.lastAdded(article, member),
  };
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

test('a skin tone that was taken back is none that the member still shows', () => {
  const { hear, mayShowOther } = seen();
  hear('up', true, '👍🏽');
  hear('up', true, '👍');
  expect(mayShowOther('👍')).toBe(true);
  hear('up', false, '👍🏽');
  expect(mayShowOther('👍')).toBe(false);
});

test('what was told of reactions before all of them were cleared says nothing of later ones', () => {
  const { hear, clear, last } = seen();
  hear('up', true, '👍');
  clear();
  hear('down', true, '👎');
  expect(last()).toBeNull();
});

test('a super reaction is another one than the plain one of its emoji', () => {
  const { hear, mayShowOther } = seen();
  hear('up', true, '👍');
  expect(mayShowOther('👍')).toBe(false);
  hear('up', true, '👍', true);
  expect(mayShowOther('👍')).toBe(true);
});

test('beside a super reaction a plain one may be shown that was not heard of, and beside a plain one none', () => {
  for (const emoji of ['👍', '<:yes:1>']) {
    const { mayShowOther } = seen();
    expect(mayShowOther(emoji)).toBe(false);
    expect(mayShowOther(emoji, true)).toBe(true);
    expect(mayShowOther(emoji)).toBe(false);
  }
});

test('what Discord answers of an article’s reactions in the moments after they were cleared is not sure', () => {
  const { clear, wasCleared } = seen();
  clear();
  expect([wasCleared(), wasCleared('5')]).toEqual([true, false]);
});

test('in a session’s first moments the one reaction that was told is the newer, but not beside one that was taken back', () => {
  const { hear, begin, last } = seen();
  begin();
  hear('up', true, '👍');
  expect(last()).toBe('up');
  hear('down', true, '👎');
  hear('down', false, '👎');
  expect(last()).toBeNull();
});

test('what was added before a session began, or after its first minute, says nothing alone', () => {
  for (const [atMs, wanted] of [
    [NOW - 1, null],
    [NOW, 'up'],
    [NOW + 59_999, 'up'],
    [NOW + 60_000, null],
  ] as const) {
    const { hear, begin, last } = seen();
    begin();
    hear('up', true, '👍', false, atMs);
    expect(last()).toBe(wanted);
  }
});

test('no number of reactions fills the memory: the first members of one article are forgotten, or the first articles', () => {
  const reactions = openSeenReactions(1000);
  const hear = (of: string, by: string, direction: Direction) =>
    reactions.hear({
      kind: 'reaction',
      guild: '1',
      channel: '2',
      article: of,
      member: by,
      direction,
      shown: true,
      emoji: direction,
      burst: false,
      isBot: false,
      joinedAtMs: null,
      roles: null,
      atMs: NOW,
    });
  const last = (of: string, by: string) => reactions.lastAdded(of, by);
  const both = (of: string, by: string) => {
    hear(of, by, 'up');
    hear(of, by, 'down');
  };
  for (let n = 0; n < 20_001; n += 1) both('3', `${n}`);
  expect([last('3', '0'), last('3', '1'), last('3', '20000')]).toEqual([null, 'down', 'down']);
  both('4', '1');
  expect([last('3', '20000'), last('4', '1')]).toEqual([null, 'down']);
});
