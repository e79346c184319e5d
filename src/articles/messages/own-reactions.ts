import { type Client, DiscordAPIError, Routes } from 'discord.js';
import { emojiOf } from '../../discord/packets.ts';
import { isApiError } from '../../discord/api-errors.ts';
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
  /** Adds or removes the bot's reaction under the article, with a few retries. The last call wins. */
  set(place: ReactionPlace, direction: Direction, shown: boolean): void;
  stop(): Promise<void>;
};

/** Discord allows one change of reactions in 250 ms, whatever its headers say. */
const everyMs = 250;
/** Beyond this, the hourly recount repairs missing changes. */
const waitingAtMost = 1000;
/** A change that failed is tried again after these pauses. */
const pausesMs = [5000, 15_000, 60_000, 300_000];

type Change = ReactionPlace & { direction: Direction; shown: boolean; tries: number };

export function openOwnReactions(options: {
  client: Client;
  ownMessages: OwnMessages;
  refusals: Refusals;
  log: Log;
}): OwnReactions {
  const { client, ownMessages, refusals, log } = options;
  const waiting = new Map<string, Change>();
  /** Changes that failed, by the same keys as in `waiting`. */
  const resting = new Map<string, NodeJS.Timeout>();
  let working: Promise<void> | undefined;
  let stopped = false;

  async function work(): Promise<void> {
    for (let next = first(); next; next = first()) {
      const [key, change] = next;
      waiting.delete(key);
      const startedMs = performance.now();
      await make(change);
      await new Promise((resolve) => {
        setTimeout(resolve, Math.max(0, everyMs - (performance.now() - startedMs)));
      });
    }
  }

  function first(): [string, Change] | undefined {
    return stopped ? undefined : waiting.entries().next().value;
  }

  async function make(change: Change): Promise<void> {
    const { guild, channel, article, direction, shown } = change;
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
      // 404: the message or the reaction is gone. Members can add a missing reaction by hand.
      if (status !== 404) {
        const isArchived = isApiError(error, 'InvalidActionOnArchivedThread');
        if (status !== 403 && !isArchived) rest(change);
        log.info(
          { ...fault(error), guild, channel },
          'A reaction of the bot could not be changed.',
        );
      }
    }
  }

  function add(change: Change): void {
    const key = keyOf(change);
    clearTimeout(resting.get(key));
    resting.delete(key);
    if (stopped || waiting.size >= waitingAtMost) return;
    waiting.set(key, change);
    working ??= work().finally(() => {
      working = undefined;
    });
  }

  function rest(change: Change): void {
    const pauseMs = pausesMs[change.tries];
    const isReplaced = waiting.has(keyOf(change));
    if (stopped || pauseMs === undefined || isReplaced || resting.size >= waitingAtMost) return;
    const again = () => add({ ...change, tries: change.tries + 1 });
    resting.set(keyOf(change), setTimeout(again, pauseMs));
  }

  return {
    set: (place, direction, shown) => add({ ...place, direction, shown, tries: 0 }),
    async stop() {
      stopped = true;
      for (const timer of resting.values()) clearTimeout(timer);
      await working;
    },
  };
}

function keyOf({ article, direction }: Change): string {
  return `${article}:${direction}`;
}
