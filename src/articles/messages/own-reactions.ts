import { Routes } from 'discord.js';
import { emojiOf } from '../../discord/vote-emoji.ts';
import { changeReaction, type ReactionParts } from '../../discord/requests/reaction-queue.ts';
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
  /**
   * Adds 👍, then 👎 under a new article: Discord shows reactions in the order in which they were added.
   * Returns whether they are there. If not, it is tried again later.
   */
  begin(place: ReactionPlace): Promise<boolean>;
  /** Removes the 👎 from an article whose voting ends without down votes. */
  end(place: ReactionPlace): Promise<void>;
  /** Ends the pauses after failures. The queue is stopped by itself. */
  stop(): void;
};

/** Of a guild. Beyond this, the hourly recount makes the changes. */
const RESTING_AT_MOST = 1000;

/**
 * A change that failed is tried again after these pauses. So for some minutes, it is made within a minute
 * after Discord accepts it again. After a 403, the channel is not asked for a minute or longer.
 */
const PAUSES_MS = [5000, 15_000, 20_000, 25_000, 60_000, 60_000, 60_000, 60_000, 60_000];

type Change = ReactionPlace & { direction: Direction; shown: boolean; tries: number };

export function openOwnReactions(parts: ReactionParts): OwnReactions {
  const { client, queue } = parts;
  /** Changes that failed. */
  const resting = new Map<string, { guild: Snowflake; timer: NodeJS.Timeout }>();
  let stopped = false;

  /** After a failure, it is tried again. */
  async function make(change: Change): ReturnType<typeof changeReaction> {
    const { guild, channel, article, direction, shown } = change;
    const place = { guild, channel, article };
    const emoji = encodeURIComponent(emojiOf[direction]);
    const route = Routes.channelMessageOwnReaction(channel, article, emoji);
    const outcome = await changeReaction(parts, place, 'react', () =>
      shown ? client.rest.put(route) : client.rest.delete(route),
    );
    if (outcome === 'refused' || outcome === 'failed') rest(change);
    return outcome;
  }

  function add(change: Change): void {
    const key = keyOf(change);
    clearTimeout(resting.get(key)?.timer);
    resting.delete(key);
    queue.add(change.guild, key, async () => (await make(change)) !== 'refused');
  }

  function rest(change: Change): void {
    const { guild } = change;
    const key = keyOf(change);
    const pauseMs = PAUSES_MS[change.tries];
    // A later call goes before what failed.
    if (stopped || pauseMs === undefined || queue.has(guild, key)) return;
    const others = [...resting.values()].filter((one) => one.guild === guild);
    if (others.length >= RESTING_AT_MOST) return;
    const again = () => add({ ...change, tries: change.tries + 1 });
    resting.set(key, { guild, timer: setTimeout(again, pauseMs) });
  }

  return {
    set: (place, direction, shown) => add({ ...place, direction, shown, tries: 0 }),
    async begin(place) {
      const change = { ...place, shown: true, tries: 0 };
      const up = await make({ ...change, direction: 'up' });
      if (up === 'made') return (await make({ ...change, direction: 'down' })) === 'made';
      rest({ ...change, direction: 'down' });
      return false;
    },
    async end(place) {
      await make({ ...place, direction: 'down', shown: false, tries: 0 });
    },
    stop() {
      stopped = true;
      for (const { timer } of resting.values()) clearTimeout(timer);
    },
  };
}

function keyOf({ article, direction }: Change): string {
  return `${article}:own:${direction}`;
}
