import { test } from 'vitest';
import { expectRightVotesAfterKills } from './kill-while-voting.ts';

// Withstands (Processes that die): The bot is killed again and again
// → every tally is right within 60 s
test(
  'a bot that is killed again and again while members vote ends with the right votes',
  () => expectRightVotesAfterKills(1, 2),
  120_000,
);
