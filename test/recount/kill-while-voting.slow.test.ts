import { test } from 'vitest';
import { expectRightVotesAfterKills } from './kill-while-voting.ts';

test.each([1, 2])(
  'a bot that is killed again and again while members vote ends with the right votes (seed %i)',
  (seed) => expectRightVotesAfterKills(seed, 2),
  120_000,
);
