import { type Client, DiscordAPIError, Routes } from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import { emojiOf } from '../../discord/gateway/packets.ts';
import type { OwnMessages } from '../../discord/access/own-messages.ts';
import type { ReactionQueue } from '../../discord/requests/reaction-queue.ts';
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
   * Adds or removes the bot's reaction under the article. The last call wins. After a failure, it is
   * tried again a few times; then the hourly recount does it.
   */
  set(place: ReactionPlace, direction: Direction, shown: boolean): void;
  /** Ends the pauses after failures. The queue is stopped by itself. */
  stop(): void;
};

/** Beyond this, the hourly recount makes the changes. */
const waitingAtMost = 1000;

/** A change that failed is tried again after these pauses. A refused channel rests longer (403). */
const pausesMs = [5000, 15_000, 60_000, 300_000];

type Change = ReactionPlace & { direction: Direction; shown: boolean; tries: number };

export function openOwnReactions(options: {
  client: Client;
  ownMessages: OwnMessages;
  refusals: Refusals;
  queue: ReactionQueue;
  log: Log;
}): OwnReactions {
  const { client, ownMessages, refusals, queue, log } = options;
  /** The last wanted state of each reaction that is not made yet. */
  const waiting = new Map<string, Change>();
  /** Changes that failed, by the same keys. */
  const resting = new Map<string, NodeJS.Timeout>();
  let stopped = false;

  async function make(key: string): Promise<void> {
    const change = waiting.get(key)!;
    const { guild, channel, article, direction, shown } = change;
    waiting.delete(key);
    const emoji = encodeURIComponent(emojiOf[direction]);
    const route = Routes.channelMessageOwnReaction(channel, article, emoji);
    try {
      await refusals.demand({ guild, channel }, 'react');
      await ownMessages.demand({ guild, channel, message: article });
      await (shown ? client.rest.put(route) : client.rest.delete(route));
    } catch (error) {
      if (error instanceof ChannelRefused) return rest(key, change);
      const status = error instanceof DiscordAPIError ? error.status : undefined;
      if (status === 403) await refusals.add({ guild, channel }, 'react');
      // The message or the reaction is gone.
      if (status === 404 || isApiError(error, 'UnknownEmoji')) return;
      rest(key, change);
      log.info({ ...fault(error), guild, channel }, 'A reaction of the bot could not be changed.');
    }
  }

  function add(key: string, change: Change): void {
    clearTimeout(resting.get(key));
    resting.delete(key);
    const isWaiting = waiting.has(key);
    if (stopped || (!isWaiting && waiting.size >= waitingAtMost)) return;
    waiting.set(key, change);
    if (!isWaiting) queue.add(() => make(key));
  }

  function rest(key: string, change: Change): void {
    const pauseMs = pausesMs[change.tries];
    // A later call goes before what failed.
    if (stopped || pauseMs === undefined || waiting.has(key)) return;
    if (resting.size >= waitingAtMost) return;
    const again = () => add(key, { ...change, tries: change.tries + 1 });
    resting.set(key, setTimeout(again, pauseMs));
  }

  return {
    set: (place, direction, shown) =>
      add(`${place.article}:${direction}`, { ...place, direction, shown, tries: 0 }),
    stop() {
      stopped = true;
      for (const timer of resting.values()) clearTimeout(timer);
    },
  };
}
