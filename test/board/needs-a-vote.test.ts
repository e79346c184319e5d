import { expect, test } from 'vitest';
import { boardMessage, isBoard } from '../../src/board/board-message.ts';

const content = {
  guild: '1',
  name: 'A community',
  locale: 'en',
  group: null,
  articles: [],
  replies: new Map<string, number>(),
  unnamed: new Set<string>(),
};

test('the board says how many links need a vote, and is not edited for that number alone', () => {
  const [none, three] = [0, 3].map((unjudged) => boardMessage({ ...content, unjudged }, 0));
  expect(JSON.stringify(three?.body.components)).toContain('"Needs a vote (3)"');
  expect(JSON.stringify(none?.body.components)).toContain('"Needs a vote"');
  expect(three?.shown).toBe(none?.shown);
});

const shown = (more: object = {}, atMs = 0) =>
  boardMessage({ ...content, unjudged: 0, ...more }, atMs).shown;

test('the board is edited for what it says, and not for the time at which it says it', () => {
  expect(shown({}, 60_000)).toBe(shown());
  for (const change of [{ name: 'Another' }, { locale: 'de' }, { group: '2' }]) {
    expect(shown(change)).not.toBe(shown());
  }
});

test('a board is known by its buttons, and a list that they open is none', () => {
  const { body } = boardMessage({ ...content, unjudged: 1, group: '2' }, 0);
  expect(isBoard(body)).toBe(true);
  expect(isBoard({ components: body.components?.slice(1) })).toBe(false);
  expect(isBoard({})).toBe(false);
  const ids = JSON.stringify(body.components).match(/top\|open[^"]*/g);
  expect(ids?.every((id) => id.split('|').includes('2'))).toBe(true);
});
