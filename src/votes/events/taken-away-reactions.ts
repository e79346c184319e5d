import { Routes } from 'discord.js';
import { permissionsIn } from '../../discord/access/permissions.ts';
import { directionOf, reactionOfSign } from '../../discord/vote-emoji.ts';
import { THUMBS } from '../../ranking/vote-signs.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import { readVoter } from '../../ranking/ballots/voters.ts';
import { changeReaction, type ReactionNeeds } from '../../discord/requests/reaction-queue.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import { isImported } from '../../articles/imported.ts';
import { remember } from '../../discord/remember.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { SeenReactions } from '../seen-reactions.ts';
import type { MemberReaction } from './gateway-events.ts';

/** `isReplaced`: the member added the other one later. */
type Unwanted = MemberReaction & { isReplaced?: boolean };
type Variant = Unwanted & { emoji: string };

/** Beyond this, the nightly recount takes away what could not be taken away. */
const LEFT_AT_MOST = 1000;
/** What one try takes up again in a guild. */
const AGAIN_AT_MOST = 50;

/**
 * Removes reactions that are not votes, if the bot may manage messages. Each is checked again just
 * before its removal, because it may have become the member's vote.
 */
export interface TakenAwayReactions {
  /**
   * Removes a reaction that does not count: it was replaced, the member may not vote, or voting is over. Where the emoji
   * is not known, removes all that stand for that vote under the article.
   */
  takeAway(reaction: Unwanted & { emoji?: string }): void;
  /** Tries again what Discord did not let the bot take away. Call it once a minute. */
  again(guild: Snowflake): void;
}

export function openTakenAwayReactions(
  parts: ReactionNeeds & { ranking: Ranking; store: Store; seen: SeenReactions },
): TakenAwayReactions {
  const { client, ranking, store, queue, seen } = parts;

  /** Reactions that Discord did not let the bot take away, by guild, in their order. */
  const left = new Map<Snowflake, Map<string, Variant>>();

  function mayManage({ guild, channel }: MemberReaction): boolean {
    const me = client.guilds.cache.get(guild)?.members.me;
    const where = client.guilds.cache.get(guild)?.channels.cache.get(channel);
    // If the permissions are unknown, such as in an uncached thread, Discord's answer decides.
    const held = me && where ? permissionsIn(where, me) : null;
    return held === null || held.has('ManageMessages');
  }

  async function request(variant: Variant): Promise<void> {
    const { guild, channel, article, member, emoji } = variant;
    // If Redis is away, the reaction stays, which changes no vote.
    if (!(await isUnwanted(variant).catch(() => false))) return;
    const name = encodeURIComponent(emoji);
    const route = Routes.channelMessageUserReaction(channel, article, name, member);
    const outcome = await changeReaction(parts, { guild, channel, article }, 'manage', () =>
      client.rest.delete(route),
    );
    if (outcome !== 'failed') return;
    const ofGuild = left.get(guild) ?? new Map<string, Variant>();
    left.set(guild, ofGuild);
    remember(ofGuild, keyOf(variant), variant, LEFT_AT_MOST);
  }

  /**
   * Other messages keep their reactions, also a member's own that an import made an article. Under an article
   * whose votes are frozen, a new one would be beside another result.
   */
  async function isUnwanted(reaction: Unwanted): Promise<boolean> {
    const { guild, article, member, direction, isReplaced = false } = reaction;
    // Another process wrote the older reaction last, and the next look writes the newer one.
    if (isReplaced && seen.lastAdded(article, member) === direction) return false;
    const row = await readArticle(ranking, guild, article);
    const voter = await readVoter(ranking, guild, article, member);
    if (row === null || voter?.vote === direction) return false;
    return !row.closed || !(await isImported(store, guild, article));
  }

  /** Which emoji a member chose is not kept. Under an article that is gone, or while Redis is away, none. */
  async function variantsOf({ guild, article, direction }: Unwanted): Promise<string[]> {
    const row = await readArticle(ranking, guild, article).catch(() => null);
    if (row === null) return [];
    const { signs = THUMBS } = row;
    const all = [signs[direction], THUMBS[direction]].map(reactionOfSign);
    const seenToo = [...all, ...seen.variants(article, direction)];
    return [...new Set(seenToo)].filter((emoji) => directionOf(emoji, signs) === direction);
  }

  function add(variant: Variant): void {
    queue.add(variant.guild, keyOf(variant), () => request(variant));
  }

  return {
    takeAway(reaction) {
      if (!mayManage(reaction)) return;
      const { emoji } = reaction;
      if (emoji !== undefined) return add({ ...reaction, emoji });
      void variantsOf(reaction).then((emojis) => {
        for (const one of emojis) add({ ...reaction, emoji: one });
      });
    },
    again(guild) {
      const ofGuild = left.get(guild);
      for (const [key, variant] of [...(ofGuild ?? [])].slice(0, AGAIN_AT_MOST)) {
        ofGuild?.delete(key);
        add(variant);
      }
      if (ofGuild?.size === 0) left.delete(guild);
    },
  };
}

function keyOf({ article, member, emoji }: Variant): string {
  return `${article}:${member}:${emoji}`;
}
