import { setTimeout as pause } from 'node:timers/promises';
import PQueue from 'p-queue';
import { fault } from '../../runtime/log.ts';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { sharedKeys } from '../../redis/store-keys.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { restoreShown } from '../../votes/recount/newer-message.ts';
import type { RecountNeeds } from '../../votes/recount-needs.ts';
import { takeInRecent } from './take-in-recent.ts';

/** A failover may lose the last writes that the old server confirmed. */
const UNSAFE_MS = MINUTE_MS;
const SIDE_BY_SIDE = 8;
/** Under the time after which a command to Redis is given up. */
const AWAY_MS = 1000;

/** What follows when Redis is back, which may have lost what it confirmed: Discord is the record. */
export interface AfterLoss {
  /** Resolves when the messages are taken in of which Redis may have lost the articles. */
  takenIn(guild: Snowflake): Promise<void>;
  /** Calls back for a guild whose articles may have changed since then. */
  onLoss(listener: (guild: Snowflake) => void): void;
}

export interface AfterLossNeeds extends RecountNeeds {
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

export function openAfterLoss(needs: AfterLossNeeds): AfterLoss {
  const { client, ranking, store, clock, log, stopping } = needs;
  const { redis } = store;
  const queue = new PQueue({ concurrency: SIDE_BY_SIDE });
  const listeners: ((guild: Snowflake) => void)[] = [];
  /** When this process last changed an article of each guild (ms). */
  const changedMs = new Map<Snowflake, number>();
  ranking.changes.listen((guild) => changedMs.set(guild, clock.now()));
  const takingIn = new Map<Snowflake, Promise<void>>();
  let isFound: Promise<void> = Promise.resolve();
  /** While Redis is away: since when (ms), and what ends the wait for it. */
  let away: { sinceMs: number; end: () => void } | null = null;

  async function takeIn(id: Snowflake): Promise<void> {
    const guild = client.guilds.cache.get(id);
    if (stopping.aborted || guild?.available !== true) return;
    try {
      await takeInRecent(needs, guild);
      await restoreShown(needs, id);
    } catch (error) {
      if (stopping.aborted) return;
      log.warn({ ...fault(error), guild: id }, 'What Redis may have lost could not be taken in.');
    }
  }

  async function findLoss(sinceMs: number): Promise<void> {
    // The mark of another process or of older data says how much was lost.
    const seen = await redis.hget(sharedKeys(store).dataSet, 'seen').catch(() => null);
    const fromMs = Math.min(sinceMs, Number(seen ?? 0)) - UNSAFE_MS;
    for (const [guild, atMs] of changedMs) {
      if (atMs < fromMs) continue;
      const work = queue.add(() => takeIn(guild)).finally(() => takingIn.delete(guild));
      takingIn.set(guild, work);
      needs.hold(work);
      for (const listener of listeners) listener(guild);
    }
  }

  redis.on('close', () => {
    if (away !== null) return;
    const sinceMs = clock.now();
    isFound = new Promise((resolve) => (away = { sinceMs, end: resolve }));
  });
  redis.on('ready', () => {
    const before = away;
    away = null;
    isFound = findLoss(before?.sinceMs ?? clock.now());
    before?.end();
  });

  return {
    async takenIn(guild) {
      // Without Redis nothing is posted anyway, and the member is told.
      const late = pause(AWAY_MS);
      await Promise.race([isFound, late]);
      // It was back while this waited.
      await Promise.race([isFound, late]);
      await takingIn.get(guild);
    },
    onLoss: (listener) => void listeners.push(listener),
  };
}
