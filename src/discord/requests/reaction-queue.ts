import { type Client, DiscordAPIError } from 'discord.js';
import PQueue from 'p-queue';
import { fault, type Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Errand } from '../../records/refused-places.ts';
import { isApiError } from '../api-errors.ts';
import type { OwnMessages } from './own-messages.ts';
import { ChannelRefused, type Place, type Refusals } from './refusals.ts';

/**
 * Changes of reactions that can wait, one after the other. Discord allows one in 250 ms, whatever its
 * headers say. Guilds take turns, so that one guild's votes do not delay another's. The bot's reactions
 * under a new article, and its 👎 at the end of voting, do not wait here.
 */
export type ReactionQueue = {
  /** The change handles its own faults. False: nothing is done, since the guild has too many already. */
  add(guild: Snowflake, change: () => Promise<void>): boolean;
  /** Drops the waiting changes. Resolves when the running one has ended. */
  stop(): Promise<void>;
};

const EVERY_MS = 250;
/** About a minute's work. A recount finds the changes that are not accepted here. */
export const CHANGES_OF_GUILD = 250;

export function openReactionQueue(): ReactionQueue {
  const queue = new PQueue({ concurrency: 1, interval: EVERY_MS, intervalCap: 1, strict: true });
  /** The guild whose turn is next is the first. */
  const waiting = new Map<Snowflake, (() => Promise<void>)[]>();
  let stopped = false;

  async function next(): Promise<void> {
    const [turn] = waiting;
    if (turn === undefined) return;
    const [guild, [change, ...others]] = turn;
    waiting.delete(guild);
    if (others.length > 0) waiting.set(guild, others);
    await change?.();
  }

  return {
    add(guild, change) {
      const changes = waiting.get(guild) ?? [];
      if (stopped || changes.length >= CHANGES_OF_GUILD) return false;
      waiting.set(guild, [...changes, change]);
      void queue.add(next);
      return true;
    },
    async stop() {
      stopped = true;
      queue.clear();
      await queue.onIdle();
    },
  };
}

export type ReactionParts = {
  client: Client;
  ownMessages: OwnMessages;
  refusals: Refusals;
  queue: ReactionQueue;
  log: Log;
};

/**
 * Asks Discord for one change of a reaction under an article. `gone`: the message or the reaction is.
 * `refused`: Discord was not asked, since it refuses the channel for now. Other faults are logged.
 */
export async function changeReaction(
  { ownMessages, refusals, log }: ReactionParts,
  { article, ...place }: Place & { article: Snowflake },
  errand: Errand,
  request: () => Promise<unknown>,
): Promise<'made' | 'gone' | 'refused' | 'failed'> {
  try {
    await refusals.ask(place, errand, async () => {
      await ownMessages.demand({ ...place, message: article });
      await request();
    });
    return 'made';
  } catch (error) {
    if (error instanceof ChannelRefused) return 'refused';
    const isGone = error instanceof DiscordAPIError && error.status === 404;
    if (isGone || isApiError(error, 'UnknownEmoji')) return 'gone';
    log.info({ ...fault(error), ...place }, 'A reaction could not be changed.');
    return 'failed';
  }
}
