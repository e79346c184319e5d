import { setTimeout as pause } from 'node:timers/promises';
import { type Client, DiscordAPIError } from 'discord.js';
import { fault, type Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Errand } from '../../records/refused-places.ts';
import { isApiError } from '../api-errors.ts';
import type { OwnMessages } from './own-messages.ts';
import { ChannelRefused, type Place, type Refusals } from './refusals.ts';

/** It handles its own faults, and returns false if it asked Discord nothing: then it takes no turn. */
type Change = () => Promise<boolean>;

/**
 * Changes of reactions that can wait, one after the other. Discord allows one in 250 ms, whatever its
 * headers say. Guilds take turns, so that one guild's votes do not delay another's. The bot's reactions
 * under a new article, and its 👎 at the end of voting, do not wait here.
 */
export type ReactionQueue = {
  /** Replaces a waiting change with the same key. Drops the change if the guild has too many already. */
  add(guild: Snowflake, key: string, change: Change): void;
  has(guild: Snowflake, key: string): boolean;
  drop(guild: Snowflake, key: string): void;
  /** Drops the waiting changes. Resolves when the running one has ended. */
  stop(): Promise<void>;
};

const EVERY_MS = 250;
/** Some minutes' work. A recount finds the changes that are not accepted here. */
export const CHANGES_OF_GUILD = 1000;

export function openReactionQueue(): ReactionQueue {
  /** The guild whose turn is next is the first. */
  const waiting = new Map<Snowflake, Map<string, Change>>();
  const stopping = new AbortController();
  let isRunning = false;
  let running = Promise.resolve();

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (waiting.size > 0) await takeTurn();
    } finally {
      isRunning = false;
    }
  }

  async function takeTurn(): Promise<void> {
    const [turn] = waiting;
    if (turn === undefined) return;
    const [guild, changes] = turn;
    // Behind the other guilds.
    waiting.delete(guild);
    waiting.set(guild, changes);
    const nextMs = performance.now() + EVERY_MS;
    let hasAsked = false;
    for (const [key, change] of changes) {
      changes.delete(key);
      hasAsked = await change();
      if (hasAsked) break;
    }
    if (changes.size === 0) waiting.delete(guild);
    if (!hasAsked) return;
    const waitMs = Math.max(0, nextMs - performance.now());
    await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
  }

  return {
    add(guild, key, change) {
      const changes = waiting.get(guild) ?? new Map<string, Change>();
      if (stopping.signal.aborted || changes.size >= CHANGES_OF_GUILD) return;
      waiting.set(guild, changes.set(key, change));
      if (!isRunning) running = run();
    },
    has: (guild, key) => waiting.get(guild)?.has(key) === true,
    drop: (guild, key) => void waiting.get(guild)?.delete(key),
    async stop() {
      stopping.abort();
      waiting.clear();
      await running;
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
