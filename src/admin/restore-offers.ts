import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import { remember } from '../discord/remember.ts';
import { UserError } from '../discord/user-error.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/** A checked file that waits for a member's confirmation. */
export type RestoreOffer = { guild: Snowflake; url: string; size: number; sha256: string };

/** The files that members want to restore. They are lost when the process ends. */
export type RestoreOffers = {
  /** Returns the token by which the confirmation names the file. */
  add(offer: RestoreOffer): string;
  find(token: string): RestoreOffer | undefined;
  /** False if the file was taken before. */
  remove(token: string): boolean;
  /**
   * Runs work that holds a whole file in memory, for a few guilds at once. Refuses if the guild has such
   * work already, so that one guild's long files delay no other guild.
   */
  alone<T>(guild: Snowflake, work: () => Promise<T>): Promise<T>;
};

const OFFERED_AT_MOST = 100;
/** Each can take some hundred megabytes. Other guilds wait for their turn. */
const SIDE_BY_SIDE = 4;

export function openRestoreOffers(): RestoreOffers {
  const offers = new Map<string, RestoreOffer>();
  const working = new Set<string>();
  const queue = new PQueue({ concurrency: SIDE_BY_SIDE });
  return {
    add(offer) {
      const token = randomUUID();
      remember(offers, token, offer, OFFERED_AT_MOST);
      return token;
    },
    find: (token) => offers.get(token),
    remove: (token) => offers.delete(token),
    async alone(guild, work) {
      if (working.has(guild)) throw new UserError('data.restore.held');
      working.add(guild);
      try {
        return await queue.add(work);
      } finally {
        working.delete(guild);
      }
    },
  };
}
