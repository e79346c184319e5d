import { randomUUID } from 'node:crypto';
import { UserError } from '../discord/user-error.ts';

/** A checked file that waits for a member's confirmation. */
export type RestoreOffer = { guild: string; url: string; size: number; sha256: string };

/** The files that members want to restore. They are lost when the process ends. */
export type RestoreOffers = {
  /** Returns the token by which the confirmation names the file. */
  add(offer: RestoreOffer): string;
  find(token: string): RestoreOffer | undefined;
  /** False if the file was taken before. */
  remove(token: string): boolean;
  /** Runs work that holds a whole file in memory. Refuses if other such work is running. */
  alone<T>(work: () => Promise<T>): Promise<T>;
};

const OFFERED_AT_MOST = 100;

export function openRestoreOffers(): RestoreOffers {
  const offers = new Map<string, RestoreOffer>();
  let isWorking = false;
  return {
    add(offer) {
      const token = randomUUID();
      offers.set(token, offer);
      const [oldest] = offers.keys();
      if (offers.size > OFFERED_AT_MOST && oldest !== undefined) offers.delete(oldest);
      return token;
    },
    find: (token) => offers.get(token),
    remove: (token) => offers.delete(token),
    async alone(work) {
      if (isWorking) throw new UserError('data.restore.held');
      isWorking = true;
      try {
        return await work();
      } finally {
        isWorking = false;
      }
    },
  };
}
