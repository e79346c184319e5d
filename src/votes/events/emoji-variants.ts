import { directionOf, emojiOf } from '../../discord/vote-emoji.ts';
import { remember } from '../../discord/remember.ts';
import type { Direction } from '../../ranking/row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/**
 * A member can show one vote in several variants: each skin tone is a separate emoji, and super
 * reactions are a separate list.
 */
export type EmojiVariants = ReturnType<typeof openEmojiVariants>;

/** The number of articles with variants that are remembered. For older ones, only a recount helps. */
const REMEMBERED = 1000;

export function openEmojiVariants() {
  const seen = new Map<Snowflake, Set<string>>();
  return {
    /** Notes an event's emoji. Returns whether other variants of it may be shown under the article. */
    note(of: { article: Snowflake; emoji: string; burst: boolean }): boolean {
      const { article, emoji, burst } = of;
      const isPlain = !burst && (emoji === emojiOf.up || emoji === emojiOf.down);
      if (isPlain) return seen.has(article);
      const emojis = seen.get(article) ?? new Set();
      remember(seen, article, emojis.add(emoji), REMEMBERED);
      return true;
    },
    /** The emoji of one direction that have been seen on an article, the plain one first. */
    spellings(article: Snowflake, direction: Direction): string[] {
      const others = [...(seen.get(article) ?? [])].filter(
        (name) => directionOf(name) === direction,
      );
      return [...new Set([emojiOf[direction], ...others])];
    },
  };
}
