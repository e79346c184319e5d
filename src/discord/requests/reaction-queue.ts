import { setTimeout as pause } from 'node:timers/promises';
import { type Client, DiscordAPIError } from 'discord.js';
import PQueue from 'p-queue';
import { fault, type Log } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isApiError } from '../api-errors.ts';
import { ChannelRefused, type Purpose, type Target } from './refusals.ts';
import type { Requests } from './requests.ts';

const EVERY_MS = 250;
/** Some minutes' work. A recount finds the changes that are not accepted here. */
export const CHANGES_OF_GUILD = 1000;

/**
 * Changes of reactions that can wait, one after the other. Discord allows one in 250 ms, whatever its
 * headers say. Guilds take turns, so that one guild's votes do not delay another's. The bot's reactions
 * under a new article, and its 👎 at the end of voting, do not wait here.
 */
export interface ReactionQueue {
  /**
   * `change` handles its own faults, and replaces a waiting one with the same key. False if the guild
   * has too many already.
   */
  add(guild: Snowflake, key: string, change: () => Promise<unknown>): boolean;
  /** Drops the waiting changes. Resolves when the running one has ended. */
  stop(): Promise<void>;
}

export function openReactionQueue(): ReactionQueue {
  const queue = new PQueue({ concurrency: 1 });
  const stopping = new AbortController();
  const waiting = new Map<Snowflake, Map<string, () => Promise<unknown>>>();

  async function run(guild: Snowflake, key: string): Promise<void> {
    const changes = waiting.get(guild)!;
    const change = changes.get(key)!;
    changes.delete(key);
    if (changes.size === 0) waiting.delete(guild);
    const turn = pause(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    await Promise.all([change(), turn]);
  }

  return {
    add(guild: Snowflake, key: string, change: () => Promise<unknown>): boolean {
      const changes = waiting.get(guild) ?? new Map<string, () => Promise<unknown>>();
      const isWaiting = changes.has(key);
      if (stopping.signal.aborted || (!isWaiting && changes.size >= CHANGES_OF_GUILD)) return false;
      waiting.set(guild, changes.set(key, change));
      // The second change of a guild goes behind the first ones of all guilds, and so on.
      if (!isWaiting) void queue.add(() => run(guild, key), { priority: -changes.size });
      return true;
    },
    async stop(): Promise<void> {
      stopping.abort();
      queue.clear();
      await queue.onIdle();
    },
  };
}

export interface ReactionNeeds {
  /** Takes the reactions away. */
  client: Client;
  /** Requests that can wait. */
  requests: Requests;
  /** Changes wait in it, one after the other. */
  queue: ReactionQueue;
  /** Says what could not be done. */
  log: Log;
}

/** Asks Discord for one change of a reaction under an article. `gone`: the message or the reaction is. */
export async function changeReaction(
  { requests, log }: ReactionNeeds,
  { guild, channel, article: message }: Target & { article: Snowflake },
  purpose: Purpose,
  request: () => Promise<unknown>,
): Promise<'made' | 'gone' | 'failed'> {
  const target = { guild, channel, message };
  try {
    await requests.ask(target, purpose, request);
    return 'made';
  } catch (error) {
    const isGone = error instanceof DiscordAPIError && error.status === 404;
    if (isGone || isApiError(error, 'UnknownEmoji')) return 'gone';
    if (!(error instanceof ChannelRefused)) {
      log.info({ ...fault(error), ...target }, 'A reaction could not be changed.');
    }
    return 'failed';
  }
}
