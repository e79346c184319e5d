import { ChannelType, type Guild } from 'discord.js';
import type { App } from '../../app.ts';
import { mayReadHistory } from '../../discord/permissions.ts';
import { readRebuildStates, readScanned, writeScanned } from '../../records/rebuilds.ts';
import { snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { RECENT_MS } from './rebuild.ts';
import { groupsOf, holdsMessages, type Place } from '../history/places.ts';
import { type Walk, walkHistory } from '../history/walk.ts';
import { takeInPage } from './page.ts';

/** For clocks that differ, and for what Redis may have lost in a power cut. */
const marginMs = 300_000;

/**
 * Looks through the messages since the last look for what a bot that died did not finish: an article
 * that was never committed is taken in with its votes. Returns how many articles were taken in.
 */
export async function takeInRecent(app: App, guild: Guild): Promise<number> {
  const { store, clock, pendingPosts, requests, stopping, log } = app;
  const now = clock.now();
  const [state] = await readRebuildStates(store, [guild.id]);
  // A rebuild reads the same messages.
  if (!state?.born) return 0;
  const scannedMs = (await readScanned(store, guild.id)) ?? now - RECENT_MS;
  const fromMs = Math.max(scannedMs - marginMs, now - RECENT_MS);
  let found = 0;
  const walk: Walk = {
    requests,
    range: { fromMs, untilMs: now, order: 'newest first' },
    sideBySide: 1,
    cursors: new Map(),
    signal: stopping,
    async take(messages, { channel }) {
      // What is being posted right now is committed by its own process.
      await pendingPosts.underWay(channel);
      const taken = await takeInPage(app, guild, messages, 'taken');
      for (const { article, status } of taken) {
        if (status !== 'taken') continue;
        found += 1;
        log.info({ guild: guild.id, article }, 'An article that was not confirmed is taken in.');
      }
    },
    // The time until which all is read is enough.
    note: async () => {},
  };
  await walkHistory(walk, recentPlaces(guild, fromMs));
  await writeScanned(store, guild.id, now);
  return found;
}

/** The readable channels and open threads; of the threads, those with messages since then. */
function recentPlaces(guild: Guild, fromMs: number): Place[] {
  const groups = groupsOf(guild).filter(mayReadHistory);
  const channels = groups.filter(holdsMessages).map((group) => ({ channel: group.id, group }));
  const threads = [...guild.channels.cache.values()].flatMap((thread): Place[] => {
    if (!thread.isThread() || thread.type === ChannelType.PrivateThread) return [];
    const group = groups.find(({ id }) => id === thread.parentId);
    const { lastMessageId: last } = thread;
    if (!group || (last && snowflakeTimeMs(last) <= fromMs)) return [];
    return [{ channel: thread.id, group }];
  });
  return [...channels, ...threads];
}
