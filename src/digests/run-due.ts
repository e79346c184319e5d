import PQueue from 'p-queue';
import { isFaultOfRedis, isOutage } from '../redis/errors.ts';
import { forEach } from '../runtime/for-each.ts';
import { fault } from '../runtime/log.ts';
import { emitMetric } from '../runtime/metrics.ts';
import { ANNOUNCEMENTS, type Due, readDigests, readDue, setDue } from './stored-digests.ts';
import { readSettings } from '../community/settings.ts';
import { announceInteresting } from './announcements.ts';
import { runDigest } from './posting/run-digest.ts';
import { nextLookAtMs } from './schedule/due.ts';
import type { DigestContext } from './posting/posting-context.ts';

/** The number of digests that are posted in parallel, since each mostly waits for Discord. */
const SIDE_BY_SIDE = 8;

/**
 * Posts the digests that are due, the longest due first. Call it once a minute, and not again before
 * it has ended. It costs one range read for any number of guilds. A fault in one digest does not stop
 * the others. After `signal` is aborted, it finishes the running digests and starts none.
 */
export async function runDueDigests(context: DigestContext, signal?: AbortSignal): Promise<void> {
  const all = await readDue(context.store, context.clock.now());
  // Other guilds are another process's.
  const { cache } = context.client.guilds;
  const due = all.filter(({ guild }) => cache.get(guild)?.available === true);
  const queue = new PQueue({ concurrency: SIDE_BY_SIDE });
  for (const one of due) {
    void queue.add(async () => {
      if (!signal?.aborted) await run(context, one);
    });
  }
  await queue.onIdle();
  emitMetric('tick', {});
}

async function run(context: DigestContext, { guild, digest }: Due): Promise<void> {
  try {
    if (digest === ANNOUNCEMENTS) return await announceInteresting(context, guild);
    const outcome = await runDigest(context, guild, digest);
    if (outcome !== 'idle') context.log.info({ guild, digest, outcome }, 'A digest was due.');
  } catch (error) {
    const again = 'What is due is tried again in a minute.';
    if (isOutage(error)) context.warn(error, { guild, digest }, again);
    else context.log.error({ ...fault(error), guild, digest }, again);
    if (isFaultOfRedis(error)) context.ranking.suspects.add(guild);
  }
}

/**
 * Rebuilds the due times from the guilds' own data: at the start, for new guilds, and nightly.
 * Entries of deleted digests are dropped when they become due. Throws after the last guild if the data of
 * one cannot be read.
 */
export async function rebuildDue(
  { store }: DigestContext,
  guilds: Iterable<string>,
): Promise<void> {
  await forEach(guilds, async (guild) => {
    const { announcements } = await readSettings(store, guild);
    if (announcements !== null) await setDue(store, guild, ANNOUNCEMENTS, 0);
    await forEach(await readDigests(store, guild), async ({ name, digest, run }) => {
      await setDue(store, guild, name, nextLookAtMs(digest, run));
    });
  });
}
