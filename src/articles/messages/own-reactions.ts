import { type Client, DiscordAPIError, Routes } from 'discord.js';
import PQueue from 'p-queue';
import { emojiOf } from '../../discord/packets.ts';
import type { OwnMessages } from '../../discord/access/own-messages.ts';
import { ChannelRefused, type Refusals } from '../../discord/requests/refusals.ts';
import { fault, type Log } from '../../log.ts';
import type { Direction } from '../../ranking/row.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

type ReactionPlace = { guild: Snowflake; channel: Snowflake; article: Snowflake };

/**
 * The bot's own reactions under an article. Its 👍 represents the poster's vote and stays. Its 👎 is a
 * button for members: it is there as long as no member shows one. Neither is a vote.
 */
export type OwnReactions = {
  /**
   * Adds or removes the bot's reaction under the article. The last call wins. After a failure, the
   * hourly recount does it.
   */
  set(place: ReactionPlace, direction: Direction, shown: boolean): void;
  stop(): Promise<void>;
};

/** Discord allows one change of reactions in 250 ms, whatever its headers say. */
const everyMs = 250;
/** Beyond this, the hourly recount makes the changes. */
const waitingAtMost = 1000;

type Change = ReactionPlace & { direction: Direction; shown: boolean };

export function openOwnReactions(options: {
  client: Client;
  ownMessages: OwnMessages;
  refusals: Refusals;
  log: Log;
}): OwnReactions {
  const { client, ownMessages, refusals, log } = options;
  const queue = new PQueue({ concurrency: 1, interval: everyMs, intervalCap: 1, strict: true });
  /** The last wanted state of each reaction that is not made yet. */
  const waiting = new Map<string, Change>();
  let stopped = false;

  async function make(key: string): Promise<void> {
    const { guild, channel, article, direction, shown } = waiting.get(key)!;
    waiting.delete(key);
    const emoji = encodeURIComponent(emojiOf[direction]);
    const route = Routes.channelMessageOwnReaction(channel, article, emoji);
    try {
      await refusals.demand({ guild, channel }, 'react');
      await ownMessages.demand({ guild, channel, message: article });
      await (shown ? client.rest.put(route) : client.rest.delete(route));
    } catch (error) {
      if (error instanceof ChannelRefused) return;
      const status = error instanceof DiscordAPIError ? error.status : undefined;
      if (status === 403) await refusals.add({ guild, channel }, 'react');
      // The message or the reaction is gone.
      if (status === 404) return;
      log.info({ ...fault(error), guild, channel }, 'A reaction of the bot could not be changed.');
    }
  }

  return {
    set(place, direction, shown) {
      const key = `${place.article}:${direction}`;
      const isWaiting = waiting.has(key);
      if (stopped || (!isWaiting && waiting.size >= waitingAtMost)) return;
      waiting.set(key, { ...place, direction, shown });
      if (!isWaiting) void queue.add(() => make(key));
    },
    async stop() {
      stopped = true;
      queue.clear();
      await queue.onIdle();
    },
  };
}
