import { setTimeout as pause } from 'node:timers/promises';
import type { Guild } from 'discord.js';
import type { Due } from '../../due/due.ts';
import type { Kind } from '../../due/kind.ts';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { retry } from '../../runtime/retry.ts';
import { isOutage } from '../../redis/errors.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { readRebuildState, endScan, readScanned } from './stored-rebuilds.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { FINAL_AFTER_MS } from '../../ranking/rules.ts';
import { groupsOf, homeIn } from '../../discord/access/visibility.ts';
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
    range: { fromMs },
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
  if (isRead) await endScan(store, guild.id, { before: scannedMs, untilMs: now });
  const failed = unread.find((each) => each.why === 'failed');
  if (failed) throw failed.error;
  return found;
}

/** How long after an unanswered message it is looked for: what Discord took late appears within two minutes. */
const LOOKS_MS = [5000, 20_000, 40_000, 65_000, 125_000] as const;
/** Each reads the newest messages of all channels of a guild. */
const SIDE_BY_SIDE = 4;

/**
 * Looks for messages that were sent and not committed: `scan` once, and `scan:<since, ms>` for a message that Discord
 * or Redis did not confirm then, until one is found.
 */
export function scanKind(needs: RecountNeeds): Kind {
  const { client, clock } = needs;
  return {
    name: 'scan',
    sideBySide: SIDE_BY_SIDE,
    standing: async () => [{ row: 'scan', atMs: 0 }],
    async run({ guild: guildId, id }) {
      const guild = client.guilds.cache.get(guildId);
      // It is planned again when the guild arrives.
      if (!guild?.available) return { atMs: null };
      const found = await takeInRecent(needs, guild);
      if (id === '' || found > 0) return { atMs: null };
      const sinceMs = Number(id);
      const next = LOOKS_MS.find((afterMs) => sinceMs + afterMs > clock.now());
      return { atMs: next === undefined ? null : sinceMs + next };
    },
  };
}

/** Takes in a message that was sent and not committed, or sent although Discord did not confirm it. */
export async function takeInSoon(
  { due, clock, stopping }: Pick<RecountNeeds, 'clock' | 'stopping'> & { due: Due },
  guild: Snowflake,
): Promise<void> {
  const now = clock.now();
  // What was not committed may be so because Redis is away, which then takes no plan either.
  await retry(() => due.plan(guild, `scan:${now}`, now + LOOKS_MS[0]), {
    firstMs: LOOKS_MS[0],
    longestMs: MINUTE_MS,
    isRetried: (error) => isOutage(error) && !stopping.aborted,
    wait: (pauseMs) => pause(pauseMs, undefined, { signal: stopping }),
  });
}

/** Returns the readable channels, and the open threads that have messages since then. */
function recentChannels(guild: Guild, fromMs: number): HistoryChannel[] {
  const groups = groupsOf(guild).filter(mayReadHistory);
  const threads = [...guild.channels.cache.values()].flatMap((thread): HistoryChannel[] => {
    if (!thread.isThread()) return [];
    const home = homeIn(thread);
    const group = groups.find(({ id }) => id === home?.id);
    const { lastMessageId: last } = thread;
    if (!group || (last && snowflakeTimeMs(last) <= fromMs)) return [];
    return [{ guild: guild.id, channel: thread.id, group }];
  });
  return [...channelsOf(groups), ...threads];
}
