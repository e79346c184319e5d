import { ChannelType, type Guild } from 'discord.js';
import type { App } from '../../app.ts';
import { restoreReactions } from '../../articles/own-reactions.ts';
import { readRebuildStates, readScanned, writeScanned } from '../../records/rebuilds.ts';
import { snowflakeTimeMs } from '../../ranking/snowflake.ts';
import { RECENT_MS } from './rebuild.ts';
import { readDown } from './channel.ts';
import { groupsOf, holdsMessages, mayRead, type Place } from './places.ts';

/** For clocks that differ, and for what Redis may have lost in a power cut. */
const marginMs = 300_000;

/**
 * Looks through the messages since the last look for what a bot that died left half done: articles
 * whose posting was never committed are taken in with their votes, and the bot's own reactions that
 * are missing are put under them. Returns how many articles were taken in.
 */
export async function takeInRecent(app: App, guild: Guild): Promise<number> {
  const { store, clock, pendingPosts, log } = app;
  const now = clock.now();
  const [state] = await readRebuildStates(store, [guild.id]);
  // A rebuild reads the same messages.
  if (!state?.born) return 0;
  const scannedMs = (await readScanned(store, guild.id)) ?? now - RECENT_MS;
  const untilMs = Math.max(scannedMs - marginMs, now - RECENT_MS);
  let found = 0;
  for (const place of recentPlaces(guild, untilMs)) {
    // What is being posted right now is not forgotten.
    await pendingPosts.underWay(place.channel);
    for await (const { taken } of readDown(app, guild, place, { untilMs, recount: 'taken' })) {
      for (const { article, status, open, unreacted } of taken) {
        if (status === 'taken') {
          found += 1;
          log.info({ guild: guild.id, article }, 'An article that was not confirmed is taken in.');
        }
        const where = { guild: guild.id, channel: place.channel, message: article };
        if (open) await restoreReactions(app, where, unreacted);
      }
    }
  }
  await writeScanned(store, guild.id, now);
  return found;
}

/** The readable channels and open threads; of the threads, those with messages since then. */
function recentPlaces(guild: Guild, untilMs: number): Place[] {
  const groups = groupsOf(guild).filter(mayRead);
  const channels = groups.filter(holdsMessages).map((group) => ({ channel: group.id, group }));
  const threads = [...guild.channels.cache.values()].flatMap((thread): Place[] => {
    if (!thread.isThread() || thread.type === ChannelType.PrivateThread) return [];
    const group = groups.find(({ id }) => id === thread.parentId);
    const { lastMessageId: last } = thread;
    if (!group || (last && snowflakeTimeMs(last) <= untilMs)) return [];
    return [{ channel: thread.id, group }];
  });
  return [...channels, ...threads];
}
