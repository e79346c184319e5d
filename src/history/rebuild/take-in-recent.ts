import { setTimeout as pause } from 'node:timers/promises';
import { ChannelType, type Guild } from 'discord.js';
import { fault } from '../../runtime/log.ts';
import { isOutage } from '../../redis/errors.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { readRebuildState, readScanned, writeScanned } from './stored-rebuilds.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { FINAL_AFTER_MS } from '../../ranking/rules.ts';
import { groupsOf } from '../../discord/access/visibility.ts';
import { channelsOf, type HistoryChannel } from '../walk/channels.ts';
import { type Walk, walkHistory } from '../walk/walk-history.ts';
import { takeInMessages } from './rebuild-guild.ts';
import type { RecountNeeds } from '../../votes/recount-needs.ts';

/** Covers clocks that differ, and writes that Redis may have lost in a power cut. */
const MARGIN_MS = 300_000;

/**
 * Reads the messages since the last call, to finish the work of a bot that died: an article that was
 * never committed is added with its votes. Returns the number of articles that were added. Throws at the end
 * if Discord failed to show a channel.
 */
export async function takeInRecent(needs: RecountNeeds, guild: Guild): Promise<number> {
  const { store, clock, pendingPosts, requests, stopping, log } = needs;
  const now = clock.now();
  const state = await readRebuildState(store, guild.id);
  // A rebuild reads the same messages.
  if (!state.complete) return 0;
  const scannedMs = await readScanned(store, guild.id);
  const fromMs = Math.max((scannedMs ?? 0) - MARGIN_MS, now - FINAL_AFTER_MS);
  let found = 0;
  const walk: Walk = {
    requests,
    range: { order: 'newest first', fromMs },
    sideBySide: 1,
    cursors: new Map(),
    signal: stopping,
    async handle(messages, { channel }) {
      // An article that is being posted now is committed by its own process, so wait for that.
      await pendingPosts.underWay(channel);
      const taken = await takeInMessages(needs, guild, messages, 'taken');
      for (const { article, status } of taken) {
        if (status !== 'taken') continue;
        found += 1;
        log.info({ guild: guild.id, article }, 'An article that was not confirmed is taken in.');
      }
    },
    // No cursors: only the time until which everything was read is stored.
    note: async () => {},
  };
  const unread = await walkHistory(walk, recentChannels(guild, fromMs));
  // In an outage Discord knows no channel. The next call then reads this time again, as when a recount
  // has missed an article meanwhile.
  const isRead = unread.every(({ why }) => why === 'refused');
  if (isRead && (await readScanned(store, guild.id)) === scannedMs) {
    await writeScanned(store, guild.id, now);
  }
  const failed = unread.find((each) => each.why === 'failed');
  if (failed) throw failed.error;
  return found;
}

const PAUSES_MS = [5000, 15_000, 20_000, 25_000, 60_000];

/** Takes in a message that was sent and not committed, or sent although Discord did not confirm it. */
export async function takeInSoon(needs: RecountNeeds, guildId: Snowflake): Promise<void> {
  for (let tries = 0; tries < PAUSES_MS.length; tries += 1) {
    await pause(PAUSES_MS[tries], undefined, { signal: needs.stopping }).catch(() => {});
    const guild = needs.client.guilds.cache.get(guildId);
    if (needs.stopping.aborted) return;
    try {
      if (guild?.available && (await takeInRecent(needs, guild)) > 0) return;
    } catch (error) {
      if (needs.stopping.aborted) return;
      // An outage can last longer than all tries.
      if (isOutage(error)) tries -= 1;
      needs.log.info({ ...fault(error), guild: guildId }, 'Recent messages could not be read.');
    }
  }
}

/** Returns the readable channels, and the open threads that have messages since then. */
function recentChannels(guild: Guild, fromMs: number): HistoryChannel[] {
  const groups = groupsOf(guild).filter(mayReadHistory);
  const threads = [...guild.channels.cache.values()].flatMap((thread): HistoryChannel[] => {
    if (!thread.isThread() || thread.type === ChannelType.PrivateThread) return [];
    const group = groups.find(({ id }) => id === thread.parentId);
    const { lastMessageId: last } = thread;
    if (!group || (last && snowflakeTimeMs(last) <= fromMs)) return [];
    return [{ guild: guild.id, channel: thread.id, group }];
  });
  return [...channelsOf(groups), ...threads];
}
