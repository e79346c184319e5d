import { pauseAfter } from '../../runtime/retry.ts';
import { type APIMessage, Routes } from 'discord.js';
import { remember } from '../../discord/remember.ts';
import { emojiOf } from '../../discord/vote-emoji.ts';
import { changeReaction, type ReactionNeeds } from '../../discord/requests/reaction-queue.ts';
import type { VoteOutcome } from '../../ranking/ballots/votes.ts';
import type { Direction } from '../../ranking/row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

type ReactionTarget = { guild: Snowflake; channel: Snowflake; article: Snowflake };

/** After a failure, a change is tried again this often, within a minute after Discord accepts it again. */
const TRIES_AT_MOST = 9;
const PAUSES = { firstMs: 5000, longestMs: 60_000 };
/** Beyond this, the hourly recount makes what failed. */
const REMEMBERED_AT_MOST = 10_000;

type Change = ReactionTarget & { direction: Direction; shown: boolean };

/**
 * The bot's own reactions under an article. Its 👍 represents the poster's vote and stays. Its 👎 is a
 * button for members: it is there as long as voting is open and no member shows one. Neither is a vote.
 */
export interface OwnReactions {
  /**
   * Adds 👍, then 👎 under a new article: Discord shows reactions in the order in which they were added.
   */
  begin(target: ReactionTarget): Promise<void>;
  /** Removes the 👎 after the first member's 👎, and adds it again after the last one is removed. */
  afterVote(change: Change, outcome: VoteOutcome): void;
  /** Repairs them as a message shows them. `downs`: the members' 👎; null: votes meanwhile decide about ours. */
  repair(
    target: ReactionTarget,
    message: Pick<APIMessage, 'reactions'>,
    downs: number | null,
  ): void;
  /** Removes the 👎 from an article whose voting ends without down votes. */
  end(target: ReactionTarget): Promise<void>;
}

export function openOwnReactions(parts: ReactionNeeds): OwnReactions {
  const { client, queue } = parts;
  /** The last change of each reaction. It goes before an earlier one that failed. */
  const newest = new Map<string, Change>();

  async function make(change: Change, tries = 1): Promise<boolean> {
    const { guild, channel, article, direction, shown } = change;
    remember(newest, keyOf(change), change, REMEMBERED_AT_MOST);
    const emoji = encodeURIComponent(emojiOf[direction]);
    const route = Routes.channelMessageOwnReaction(channel, article, emoji);
    const outcome = await changeReaction(parts, { guild, channel, article }, 'react', () =>
      shown ? client.rest.put(route) : client.rest.delete(route),
    );
    if (outcome === 'failed') makeLater(change, tries);
    return outcome === 'made';
  }

  function makeLater(change: Change, tries: number): void {
    if (tries > TRIES_AT_MOST) return;
    const again = () => {
      if (newest.get(keyOf(change)) === change) add(change, tries + 1);
    };
    setTimeout(again, pauseAfter(tries, PAUSES)).unref();
  }

  function add(change: Change, tries?: number): void {
    remember(newest, keyOf(change), change, REMEMBERED_AT_MOST);
    queue.add(change.guild, keyOf(change), () => make(change, tries));
  }

  return {
    async begin(target: ReactionTarget): Promise<void> {
      const down: Change = { ...target, direction: 'down', shown: true };
      remember(newest, keyOf(down), down, REMEMBERED_AT_MOST);
      const isMade = await make({ ...down, direction: 'up' });
      // A member may have shown 👎 meanwhile.
      if (newest.get(keyOf(down)) !== down) return;
      if (isMade) await make(down);
      else makeLater(down, 1);
    },
    afterVote({ guild, channel, article, direction, shown }: Change, outcome: VoteOutcome): void {
      if (direction === 'up' || !('down' in outcome)) return;
      const isFirst = shown && outcome.status === 'counted' && outcome.down === 1;
      const wasLast = !shown && outcome.down === 0;
      if (isFirst || wasLast) add({ guild, channel, article, direction, shown: wasLast });
    },
    repair(
      target: ReactionTarget,
      message: Pick<APIMessage, 'reactions'>,
      downs: number | null,
    ): void {
      const isOwn = (name: string): boolean =>
        message.reactions?.some(({ emoji, me }) => me && emoji.name === name) === true;
      if (!isOwn(emojiOf.up)) add({ ...target, direction: 'up', shown: true });
      if (downs === null || isOwn(emojiOf.down) === (downs === 0)) return;
      add({ ...target, direction: 'down', shown: downs === 0 });
    },
    async end(target: ReactionTarget): Promise<void> {
      await make({ ...target, direction: 'down', shown: false });
    },
  };
}

function keyOf({ article, direction }: Change): string {
  return `${article}:own:${direction}`;
}
