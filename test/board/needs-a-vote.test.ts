import { expect, test } from 'vitest';
import { boardMessage } from '../../src/board/board-message.ts';

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
