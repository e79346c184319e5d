import type { APIPartialEmoji } from 'discord.js';
import type { Direction } from '../ranking/row.ts';
import { THUMBS, type VoteSigns } from '../ranking/vote-signs.ts';

/** Skin tones and the emoji variation selector do not change the vote. */
const variation = /\p{Emoji_Modifier}|\ufe0f/gu;

const ofServer = /^<a?:(\w+):(\d+)>$/;
const withoutId = /^:(\w+):$/;

/** The id of a sign that is a server's own emoji; null for a standard one. */
export function emojiIdOf(sign: string): string | null {
  return ofServer.exec(sign)?.[2] ?? null;
}

/** A sign where Discord would not show a server's own emoji. */
export function emojiName(sign: string): string {
  return sign.replace(ofServer, ':$1:');
}

/**
 * The emoji of a reaction as requests name it. Discord goes by the id of a server's own: its name changes, and is null
 * when the emoji was deleted.
 */
export function reactionOf({ id, name }: Pick<APIPartialEmoji, 'id' | 'name'>): string {
  return id ? `vote:${id}` : (name ?? '');
}

/** The same for a sign. */
export function reactionOfSign(sign: string): string {
  const id = emojiIdOf(sign);
  return id === null ? sign : reactionOf({ id, name: null });
}

/**
 * The signs that a message names, with the ids of its reactions where its text has lost one: Discord takes the id of a
 * deleted emoji out of a text that is edited, and leaves it with the reactions, whose name can be null then.
 */
export function withIdsOf(
  reactions: readonly { emoji: Pick<APIPartialEmoji, 'id' | 'name'> }[],
  signs: VoteSigns,
): VoteSigns {
  const lost = [signs.up, signs.down].filter((sign) => withoutId.test(sign));
  const completed = (sign: string): string => {
    const [, name] = withoutId.exec(sign) ?? [];
    if (name === undefined) return sign;
    const isOf = (found: string | null) => found === name || (found === null && lost.length === 1);
    const [first, ...others] = reactions.filter(({ emoji }) => emoji.id && isOf(emoji.name));
    return first && others.length === 0 ? `<:${name}:${first.emoji.id}>` : sign;
  };
  return { ...signs, up: completed(signs.up), down: completed(signs.down) };
}

/** The vote that a reaction stands for under an article with these signs. 👍 and 👎 count under any. */
export function directionOf(reaction: string, signs: VoteSigns = THUMBS): Direction | null {
  const plain = plainOf(reaction);
  for (const { up, down } of [THUMBS, signs]) {
    if (plain === plainOf(reactionOfSign(up))) return 'up';
    if (plain === plainOf(reactionOfSign(down))) return 'down';
  }
  return null;
}

/** Whether it is a variant of another reaction: one in a skin tone. */
export function hasSkinTone(reaction: string): boolean {
  return /\p{Emoji_Modifier}/u.test(reaction);
}

function plainOf(reaction: string): string {
  return reaction.replace(variation, '');
}
