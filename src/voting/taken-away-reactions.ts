import { type Client, DiscordAPIError, Routes } from 'discord.js';
import { fault, type Log } from '../log.ts';
import { readArticle } from '../ranking/articles/articles.ts';
import { readVoter } from '../ranking/ballots/voters.ts';
import type { OwnMessages } from '../discord/access/own-messages.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { ChannelRefused, type Refusals } from '../discord/requests/refusals.ts';
import type { EmojiVariants } from './emoji-variants.ts';
import { type MemberReaction, reactionKey } from './gateway-event.ts';

/** Removes reactions that are not votes, if the bot may manage messages. */
export type TakenAwayReactions = {
  /** Removes a reaction that does not count: it was replaced, or the member may not vote. */
  take(reaction: MemberReaction): void;
  /** Call it when the member removed the reaction. */
  drop(reaction: MemberReaction): void;
  stop(): Promise<void>;
};

/** Discord allows one change of reactions in 250 ms, whatever its headers say. */
const everyMs = 250;
/** Beyond this, reactions are not removed, which changes no vote. */
const waitingAtMost = 1000;

/**
 * Each reaction is checked again just before its removal, because it may have become the member's vote.
 */
export function openTakenAwayReactions(options: {
  client: Client;
  ownMessages: OwnMessages;
  refusals: Refusals;
  ranking: Ranking;
  log: Log;
  emojiVariants: EmojiVariants;
}): TakenAwayReactions {
  const { client, ownMessages, refusals, ranking, log, emojiVariants } = options;
  const waiting = new Map<string, MemberReaction>();
  let working: Promise<void> | undefined;
  let stopped = false;

  function mayManage({ guild, channel }: MemberReaction): boolean {
    const me = client.guilds.cache.get(guild)?.members.me;
    const where = client.guilds.cache.get(guild)?.channels.cache.get(channel);
    // If the permissions are unknown, such as in an uncached thread, Discord's answer decides.
    return !me || !where || where.permissionsFor(me).has('ManageMessages');
  }

  async function work(): Promise<void> {
    for (let next = first(); next; next = first()) {
      const [key, reaction] = next;
      waiting.delete(key);
      const startedMs = performance.now();
      if (!(await takeAway(reaction))) continue;
      await new Promise((resolve) => {
        setTimeout(resolve, Math.max(0, everyMs - (performance.now() - startedMs)));
      });
    }
  }

  function first(): [string, MemberReaction] | undefined {
    return stopped ? undefined : waiting.entries().next().value;
  }

  /** Returns whether a request was sent to Discord. */
  async function takeAway(reaction: MemberReaction): Promise<boolean> {
    const { guild, channel, article, member, direction } = reaction;
    let asked = false;
    try {
      if (!(await isUnwanted(reaction)) || !mayManage(reaction)) return false;
      await refusals.demand({ guild, channel }, 'manage');
      for (const emoji of emojiVariants.spellings(article, direction)) {
        asked = true;
        await ownMessages.demand({ guild, channel, message: article });
        await client.rest.delete(
          Routes.channelMessageUserReaction(channel, article, encodeURIComponent(emoji), member),
        );
      }
    } catch (error) {
      if (error instanceof ChannelRefused) return asked;
      const status = error instanceof DiscordAPIError ? error.status : undefined;
      if (status === 403) await refusals.add({ guild, channel }, 'manage');
      // 404: the reaction is already gone.
      if (status !== 404) {
        log.info({ ...fault(error), guild, channel }, 'A reaction could not be removed.');
      }
    }
    return asked;
  }

  /** Other messages of the bot, and articles whose votes are frozen, keep their reactions. */
  async function isUnwanted({
    guild,
    article,
    member,
    direction,
  }: MemberReaction): Promise<boolean> {
    const [row, voter] = await Promise.all([
      readArticle(ranking, guild, article),
      readVoter(ranking, guild, article, member),
    ]);
    return row?.closed === false && voter?.vote !== direction;
  }

  return {
    take(reaction) {
      if (stopped || waiting.size >= waitingAtMost || !mayManage(reaction)) return;
      waiting.set(reactionKey(reaction), reaction);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    drop: (reaction) => void waiting.delete(reactionKey(reaction)),
    async stop() {
      stopped = true;
      await working;
    },
  };
}
