import { pauseAfter } from '../../runtime/retry.ts';
import { type APIMessage, Routes } from 'discord.js';
import { remember } from '../../discord/remember.ts';
import { reactionOf, reactionOfSign } from '../../discord/vote-emoji.ts';
import { changeReaction, type ReactionNeeds } from '../../discord/requests/reaction-queue.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import type { VoteOutcome } from '../../ranking/ballots/votes.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Direction } from '../../ranking/row.ts';
import { THUMBS, type VoteSigns } from '../../ranking/vote-signs.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

type ReactionTarget = { guild: Snowflake; channel: Snowflake; article: Snowflake };
/** `signs`: what the article was posted with; absent: 👍 and 👎. */
type OfArticle = ReactionTarget & { signs?: VoteSigns | undefined };

/** After a failure, a change is tried again this often, within a minute after Discord accepts it again. */
const TRIES_AT_MOST = 9;
const PAUSES = { firstMs: 5000, longestMs: 60_000 };
/** Beyond this, the hourly recount makes what failed. */
const REMEMBERED_AT_MOST = 10_000;

type MemberChange = ReactionTarget & { direction: Direction; shown: boolean };
/** Without `signs`, they are read when it is made. `isThumb`: it is of the thumb beside a sign. */
type Change = MemberChange & { signs?: VoteSigns; isThumb?: boolean };

/**
 * The bot's own reactions under an article, in the article's signs. Its 👍 represents the poster's vote and stays. Its
 * 👎 is a button for members, where it is offered: it is there as long as voting is open and no member shows one.
 * Neither is a vote. Where Discord does not know a sign any more, the thumb is put beside what is shown of it.
 */
export interface OwnReactions {
  /**
   * Adds 👍, then 👎 under a new article: Discord shows reactions in the order in which they were added.
   */
  begin(target: OfArticle): Promise<void>;
  /** Removes the 👎 after the first member's 👎, and adds it again after the last one is removed. */
  afterVote(change: MemberChange, outcome: VoteOutcome): void;
  /** Repairs them as a message shows them. `downs`: the members' 👎; null: votes meanwhile decide about ours. */
  repair(target: OfArticle, message: Pick<APIMessage, 'reactions'>, downs: number | null): void;
  /** Removes the 👎 from an article whose voting ends without down votes. */
  end(target: OfArticle): Promise<void>;
}

export function openOwnReactions(parts: ReactionNeeds & { ranking: Ranking }): OwnReactions {
  const { client, queue, ranking } = parts;
  /** The last change of each reaction. It goes before an earlier one that failed. */
  const newest = new Map<string, Change>();

  /** Null: the article is gone, and needs none. */
  async function signsOf({ signs, guild, article }: Change): Promise<VoteSigns | null> {
    if (signs !== undefined) return signs;
    const found = await readArticle(ranking, guild, article);
    return found && (found.signs ?? THUMBS);
  }

  async function make(change: Change, tries = 1): Promise<boolean> {
    const { guild, channel, article, direction, shown } = change;
    remember(newest, keyOf(change), change, REMEMBERED_AT_MOST);
    const signs = await signsOf(change).catch(() => undefined);
    if (signs === undefined) {
      makeLater(change, tries);
      return false;
    }
    if (signs === null || (direction === 'down' && !signs.isDownOffered)) return true;
    const ask = (sign: string) => {
      const emoji = encodeURIComponent(reactionOfSign(sign));
      const route = Routes.channelMessageOwnReaction(channel, article, emoji);
      return changeReaction(parts, { guild, channel, article }, 'react', () =>
        shown ? client.rest.put(route) : client.rest.delete(route),
      );
    };
    const thumb = THUMBS[direction];
    const sign = change.isThumb ? thumb : signs[direction];
    const first = await ask(sign);
    // Discord does not know the emoji any more; or it is not shown, since the thumb is.
    const outcome = first === 'gone' && sign !== thumb ? await ask(thumb) : first;
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
    async begin({ signs = THUMBS, ...target }: OfArticle): Promise<void> {
      const down: Change = { ...target, signs, direction: 'down', shown: true };
      remember(newest, keyOf(down), down, REMEMBERED_AT_MOST);
      const isMade = await make({ ...down, direction: 'up' });
      // A member may have shown 👎 meanwhile.
      if (newest.get(keyOf(down)) !== down) return;
      if (isMade) await make(down);
      else makeLater(down, 1);
    },
    afterVote({ guild, channel, article, direction, shown }: MemberChange, outcome: VoteOutcome) {
      if (direction === 'up' || !('down' in outcome)) return;
      const isFirst = shown && outcome.status === 'counted' && outcome.down === 1;
      const wasLast = !shown && outcome.down === 0;
      if (isFirst || wasLast) add({ guild, channel, article, direction, shown: wasLast });
    },
    repair({ signs = THUMBS, ...target }: OfArticle, { reactions = [] }, downs): void {
      const ownOf = (direction: Direction) => {
        const sign = reactionOfSign(signs[direction]);
        const shown = reactions.find(({ emoji }) => reactionOf(emoji) === sign);
        // Discord leaves out the name of a deleted emoji.
        const isThumb = shown !== undefined && shown.emoji.name === null;
        const wanted = isThumb ? THUMBS[direction] : sign;
        const isShown = (name: string) =>
          reactions.some(({ emoji, me }) => me && reactionOf(emoji) === name);
        return { isThumb, isShown: isShown(wanted) || isShown(THUMBS[direction]) };
      };
      const [up, down] = [ownOf('up'), ownOf('down')];
      const change = { ...target, signs };
      if (!up.isShown) add({ ...change, direction: 'up', shown: true, isThumb: up.isThumb });
      const isUpToDate = downs === null || down.isShown === (downs === 0);
      if (isUpToDate || !signs.isDownOffered) return;
      const { isThumb } = down;
      add({ ...change, direction: 'down', shown: downs === 0, isThumb });
    },
    async end({ signs = THUMBS, ...target }: OfArticle): Promise<void> {
      await make({ ...target, signs, direction: 'down', shown: false });
    },
  };
}

function keyOf({ article, direction }: Change): string {
  return `${article}:own:${direction}`;
}
