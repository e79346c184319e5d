import type { App } from '../app.ts';

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
  | 'recountState'
  | 'concurrentVotes'
  | 'emojiVariants'
  | 'clock'
  | 'log'
  | 'stopping'
>;
