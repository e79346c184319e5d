import { remember } from '../discord/remember.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** What is known of the members who like a message. */
export interface Liked {
  /** Who was seen to like it, the first one first, each with the variants that they show. */
  members: Map<Snowflake, Map<string, Variant>>;
  /** How many likes nobody was seen to give; null: not known. */
  unseen: number | null;
  /** It is to be read, or was and is left as it is. */
  state: 'open' | 'planned' | 'settled';
  /** Somebody liked it since it was read. */
  hasNew: boolean;
}

/** A like as it is shown: a skin tone is another emoji, and a super reaction another list. */
export type Variant = { emoji: string; burst: boolean };
export type Like = { message: Snowflake; member: Snowflake; variant: Variant };

const FRESH = { state: 'open', hasNew: false } as const;

/** Messages of a guild that are remembered. What is forgotten is found by the next look. */
const OF_GUILD_AT_MOST = 1000;
const GUILDS_AT_MOST = 5000;
/** Where more like a message, it has long been read. */
const MEMBERS_AT_MOST = 100;

/**
 * The likes of messages that are no articles, in this process alone: Discord tells them again, but not who was the
 * first.
 */
export interface Likes {
  /** Notes a like. `isKnown`: nobody can have liked the message unseen. */
  add(guild: Snowflake, like: Like, isKnown: boolean): Liked;
  /** Notes that it was taken back. */
  remove(guild: Snowflake, like: Like): void;
  /** Notes that all likes by an emoji are gone. */
  clear(guild: Snowflake, message: Snowflake, emoji: string): void;
  /** Notes how many likes Discord shows. */
  count(guild: Snowflake, message: Snowflake, likes: number): Liked;
  /** What is known of a message; undefined: nothing. */
  of(guild: Snowflake, message: Snowflake): Liked | undefined;
  /** The message is gone, or its likes are. */
  forget(guild: Snowflake, message: Snowflake): void;
}

export function openLikes(): Likes {
  const guilds = new Map<Snowflake, Map<Snowflake, Liked>>();

  function touch(guild: Snowflake, message: Snowflake, unseen: number | null): Liked {
    const messages = guilds.get(guild) ?? new Map<Snowflake, Liked>();
    remember(guilds, guild, messages, GUILDS_AT_MOST);
    const liked: Liked = messages.get(message) ?? { members: new Map(), unseen, ...FRESH };
    remember(messages, message, liked, OF_GUILD_AT_MOST);
    return liked;
  }

  const of = (guild: Snowflake, message: Snowflake) => guilds.get(guild)?.get(message);
  return {
    of,
    add(guild, { message, member, variant }, isKnown) {
      const liked = touch(guild, message, isKnown ? 0 : null);
      liked.hasNew = true;
      const variants = liked.members.get(member);
      if (variants) variants.set(variantOf(variant), variant);
      else if (liked.members.size < MEMBERS_AT_MOST) {
        liked.members.set(member, new Map([[variantOf(variant), variant]]));
      }
      return liked;
    },
    remove(guild, { message, member, variant }) {
      const liked = of(guild, message);
      const variants = liked?.members.get(member);
      if (liked === undefined) return;
      if (variants?.delete(variantOf(variant)) && variants.size === 0) liked.members.delete(member);
      // Whose it was that nobody saw given is not known.
      else if (variants === undefined && liked.unseen !== null) {
        liked.unseen = Math.max(0, liked.unseen - 1);
      }
    },
    clear(guild, message, emoji) {
      const liked = of(guild, message);
      for (const [member, variants] of liked?.members ?? []) {
        for (const [name, variant] of variants) if (variant.emoji === emoji) variants.delete(name);
        if (variants.size === 0) liked?.members.delete(member);
      }
      // How many of these were by this emoji is not known.
      if (liked?.unseen) liked.unseen = null;
    },
    count(guild, message, likes) {
      const liked = touch(guild, message, 0);
      liked.unseen = Math.max(0, likes - seenLikes(liked));
      return liked;
    },
    forget: (guild, message) => void guilds.get(guild)?.delete(message),
  };
}

/** How many likes were seen: a member can show several variants. */
export function seenLikes({ members }: Liked): number {
  return [...members.values()].reduce((sum, variants) => sum + variants.size, 0);
}

/** Whether it may be liked by that many. */
export function mayBeLikedBy({ members, unseen, state }: Liked, number: number): boolean {
  return state === 'open' && (unseen === null || members.size + unseen >= number);
}

/** What tells a variant from others. */
export function variantOf({ emoji, burst }: Variant): string {
  return burst ? `${emoji} burst` : emoji;
}

/** Who likes it, the first one first; empty if that is not known of all. */
export function orderOf({ members, unseen }: Liked): string {
  return unseen === 0 ? [...members.keys()].join(' ') : '';
}
