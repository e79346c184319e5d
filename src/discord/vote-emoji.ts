import type { Direction } from '../ranking/row.ts';

export const emojiOf: Record<Direction, string> = { up: '👍', down: '👎' };

/** Skin tones and the emoji variation selector do not change the vote. */
const variation = /\p{Emoji_Modifier}|\ufe0f/gu;

/** The vote that a reaction stands for. */
export function directionOf(emoji: string): Direction | null {
  const plain = emoji.replace(variation, '');
  if (plain === emojiOf.up) return 'up';
  return plain === emojiOf.down ? 'down' : null;
}
