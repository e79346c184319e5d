import { z } from 'zod';
import { storeKeys } from './keys.ts';
import { type Lease, leaseKey } from './leases.ts';
import type { Store } from './store.ts';

/** How far a rebuild of a guild has come. It outlives the process that is at it. */
export type Progress = {
  /** When it was begun, in ms. */
  sinceMs: number;
  /** Articles recognised so far. */
  articles: number;
  /** Channel or thread → the oldest message that was read there, or that its end was reached. */
  cursors: Map<string, string>;
};

/** Instead of a message: there is nothing older. */
export const END = 'end';

export type RebuildState = {
  /** The ranking holds all of the guild that there was when this mark was written. */
  born: boolean;
  /** A rebuild was begun and is not finished. */
  begun: boolean;
};

/** One round trip for many guilds, in their order. */
export async function readRebuildStates(
  store: Store,
  guilds: readonly string[],
): Promise<RebuildState[]> {
  return Promise.all(
    guilds.map(async (guild) => {
      const { born, rebuild } = storeKeys(store.applicationId, guild);
      const [isBorn, isBegun] = await Promise.all([
        store.redis.exists(born),
        store.redis.exists(rebuild),
      ]);
      return { born: isBorn === 1, begun: isBegun === 1 };
    }),
  );
}

/** Begins a rebuild, or goes on with the one that is not finished. */
export async function beginRebuild(store: Store, guild: string, now: number): Promise<Progress> {
  const { rebuild } = storeKeys(store.applicationId, guild);
  await store.redis.hsetnx(rebuild, 'since', now);
  return (await readProgress(store, guild)) ?? { sinceMs: now, articles: 0, cursors: new Map() };
}

const zCount = z.coerce.number().pipe(z.int());

/** Null where no rebuild is under way. */
export async function readProgress(store: Store, guild: string): Promise<Progress | null> {
  const { rebuild } = storeKeys(store.applicationId, guild);
  const { since, articles, ...cursors } = await store.redis.hgetall(rebuild);
  if (since === undefined) return null;
  return {
    sinceMs: zCount.parse(since),
    articles: zCount.parse(articles ?? 0),
    cursors: new Map(Object.entries(cursors)),
  };
}

const zNoted = z.tuple([z.enum(['noted', 'lost'])]).transform(([status]) => ({ status }));

/**
 * A page of a channel was read: down to which message, and how many articles were on it.
 * After 'lost' the rebuild must end: nothing was noted.
 */
export async function noteProgress(
  store: Store,
  lease: Lease,
  page: { channel: string; cursor: string; articles: number },
): Promise<{ status: 'noted' | 'lost' }> {
  const { rebuild } = storeKeys(store.applicationId, lease.guild);
  return zNoted.parse(
    await store.redis.noteRebuild(
      leaseKey(store, lease),
      rebuild,
      lease.token,
      page.channel,
      page.cursor,
      page.articles,
    ),
  );
}

const zFinished = z.tuple([z.enum(['finished', 'lost'])]).transform(([status]) => ({ status }));

/** Writes the birth mark, if nothing was lost meanwhile; ends the lease. */
export async function finishRebuild(
  store: Store,
  lease: Lease,
  now: number,
): Promise<{ status: 'finished' | 'lost' }> {
  const { rebuild, born } = storeKeys(store.applicationId, lease.guild);
  return zFinished.parse(
    await store.redis.finishRebuild(leaseKey(store, lease), rebuild, born, lease.token, now),
  );
}

/** The channels that a rebuild could not read. */
export async function readUnread(store: Store, guild: string): Promise<string[]> {
  return store.redis.smembers(storeKeys(store.applicationId, guild).unread);
}

export async function noteUnread(
  store: Store,
  guild: string,
  channel: string,
  unread: boolean,
): Promise<void> {
  const key = storeKeys(store.applicationId, guild).unread;
  await (unread ? store.redis.sadd(key, channel) : store.redis.srem(key, channel));
}
