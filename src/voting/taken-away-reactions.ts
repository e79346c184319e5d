import { type Client, DiscordAPIError, Routes } from 'discord.js';
import { fault, type Log } from '../log.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { readVoter } from '../ranking/ballots/voters.ts';
import type { OwnMessages } from '../discord/own-messages.ts';
import { openForbiddenChannels } from '../discord/requests/forbidden-channels.ts';
import type { EmojiVariants } from './emoji-variants.ts';

export type ReplacedReaction = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  member: Snowflake;
  /** The reaction that stayed when the member added the other. */
  direction: Direction;
};

export type ReplacedReactions = {
  take(reaction: ReplacedReaction): void;
  stop(): Promise<void>;
};

/** Discord allows one change of reactions in 250 ms, whatever its headers say. */
const everyMs = 250;
/** Beyond this, older reactions stay and are remembered, which changes no vote. */
const waitingAtMost = 1000;

/**
 * Takes the older reaction away after a switch, where the bot may manage messages.
 * It looks again just before, since the member may have been quicker; a channel that answered 403
 * is left alone until permissions in its guild change.
 */
export function openReplacedReactions(options: {
  client: Client;
  ownMessages: OwnMessages;
  ranking: Ranking;
  log: Log;
  emojiVariants: EmojiVariants;
}): ReplacedReactions {
  const { client, ownMessages, ranking, log, emojiVariants } = options;
  const waiting = new Map<string, ReplacedReaction>();
  const refused = openForbiddenChannels(client);
  let working: Promise<void> | undefined;
  let stopped = false;

  function mayManage({ guild, channel }: ReplacedReaction): boolean {
    if (refused.has(channel)) return false;
    const me = client.guilds.cache.get(guild)?.members.me;
    const where = client.guilds.cache.get(guild)?.channels.cache.get(channel);
    // Where we cannot tell, such as in a thread that is not cached, Discord's answer decides.
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

  function first(): [string, ReplacedReaction] | undefined {
    return stopped ? undefined : waiting.entries().next().value;
  }

  /** Whether Discord was asked. */
  async function takeAway(reaction: ReplacedReaction): Promise<boolean> {
    const { guild, channel, article, member, direction } = reaction;
    let asked = false;
    try {
      const voter = await readVoter(ranking, guild, article, member);
      if (!voter?.older || voter.vote === direction || !mayManage(reaction)) return false;
      for (const emoji of emojiVariants.spellings(article, direction)) {
        asked = true;
        await ownMessages.demand({ guild, channel, message: article });
        await client.rest.delete(
          Routes.channelMessageUserReaction(channel, article, encodeURIComponent(emoji), member),
        );
      }
    } catch (error) {
      const status = error instanceof DiscordAPIError ? error.status : undefined;
      if (status === 403) refused.add(channel, guild);
      // 404: it is gone already, which is all that was wanted.
      if (status !== 404) {
        log.info({ ...fault(error), guild, channel }, 'An older reaction stays where it is.');
      }
    }
    return asked;
  }

  return {
    take(reaction) {
      if (stopped || waiting.size >= waitingAtMost || !mayManage(reaction)) return;
      waiting.set(`${reaction.article}:${reaction.member}`, reaction);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async stop() {
      stopped = true;
      await working;
    },
  };
}
