import type { App } from '../app.ts';

/** The parts of the bot with which votes are recounted and articles are taken in from messages. */
export type RecountParts = Pick<
  App,
  // What Discord shows, and what is stored.
  | 'client'
  | 'self'
  | 'requests'
  | 'ownMessages'
  | 'ranking'
  | 'store'
  | 'rules'
  // What a recount corrects in Discord.
  | 'messageUpdates'
  | 'ownReactions'
  | 'takenAwayReactions'
  // What else goes on meanwhile.
  | 'recounts'
  | 'concurrentVotes'
  | 'clock'
  | 'log'
  | 'stopping'
>;
