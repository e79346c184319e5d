import type { APIMessage } from 'discord.js';
import { directionOf, reactionOf } from '../../discord/vote-emoji.ts';
import type { Direction } from '../../ranking/row.ts';
import type { VoteSigns } from '../../ranking/vote-signs.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';

export const directions = ['up', 'down'] as const satisfies Direction[];

/** One list of members who reacted: an emoji, normal or super, and their number by Discord's count. */
export type ReactionList = { direction: Direction; emoji: string; burst: boolean; count: number };

/** A number for each direction. */
export type Both = Record<Direction, number>;

/**
 * Returns the lists of a message that hold votes, by its article's signs. Each skin tone has its own list. The bot's own
 * reactions do not count: they come and go while lists are read.
 */
export function listsOf(
  { reactions = [] }: Pick<APIMessage, 'reactions'>,
  signs?: VoteSigns,
): ReactionList[] {
  return reactions.flatMap(({ emoji, count, count_details: details, me, me_burst: meBurst }) => {
    const reaction = reactionOf(emoji);
    const direction = directionOf(reaction, signs);
    if (!direction) return [];
    const list = { direction, emoji: reaction };
    const burst = (details?.burst ?? 0) - Number(meBurst ?? false);
    return [
      { ...list, burst: false, count: (details?.normal ?? count) - (me ? 1 : 0) },
      ...(burst > 0 ? [{ ...list, burst: true, count: burst }] : []),
    ];
  });
}

/** Discord's counts without the bot's own reactions. */
export function countsOf(message: Pick<APIMessage, 'reactions'>, signs?: VoteSigns): Both {
  const counts = { up: 0, down: 0 };
  for (const { direction, count } of listsOf(message, signs)) counts[direction] += count;
  return counts;
}

/** Returns the number of members who show each reaction, according to the ranking. */
export function shownBy(voters: Iterable<Voter>): Both {
  const shown = { up: 0, down: 0 };
  for (const { vote, older } of voters) {
    shown[vote] += 1;
    if (older) shown[vote === 'up' ? 'down' : 'up'] += 1;
  }
  return shown;
}
