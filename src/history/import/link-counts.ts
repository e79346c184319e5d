import { setTimeout as pause } from 'node:timers/promises';
import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { z } from 'zod';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { groupsOf, isListed } from '../../discord/access/visibility.ts';
import { isGroup } from '../../community/guild-rules.ts';
import { remember } from '../../discord/remember.ts';
import { ChannelRefused, isOfOneChannel } from '../../discord/requests/refusals.ts';
import { fault } from '../../runtime/log.ts';
import { compareIds, type Snowflake, snowflakeAt } from '../../runtime/snowflake.ts';
import type { ImportNeeds, Imports, LinkCounts } from './import-needs.ts';

const zFound = z.object({ total_results: z.int().nonnegative() });
/** The answer with status 202. */
const zNotIndexed = z.object({ code: z.literal(110_000), retry_after: z.number() });

/** Discord indexes a server when somebody searches it; more tries would keep an owner waiting. */
const TRIES = 3;
const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 10_000;

/**
 * The number of messages that Discord's search finds in these channels, without their threads. `unready`:
 * Discord refuses the search, or has not indexed the messages after a few tries. `failed`: it fails to
 * search these channels, which says nothing about others.
 */
export async function countMessages(
  { requests, stopping, log }: Pick<ImportNeeds, 'requests' | 'stopping' | 'log'>,
  guild: Snowflake,
  channels: readonly Snowflake[],
  filter: {
    has?: 'link' | 'embed';
    fromMs?: number;
    by?: 'bots' | { member: Snowflake };
  } = {},
): Promise<number | 'unready' | 'failed'> {
  const query: Record<string, string | readonly string[]> = {
    channel_id: channels,
    limit: '1',
    include_nsfw: 'true',
    ...(filter.has === undefined ? {} : { has: [filter.has] }),
    ...(filter.by === 'bots' ? { author_type: ['bot', 'webhook'] } : {}),
    ...(typeof filter.by === 'object' ? { author_id: [filter.by.member] } : {}),
    ...(filter.fromMs === undefined ? {} : { min_id: snowflakeAt(filter.fromMs) }),
  };
  // A refusal belongs to the search, not to a channel.
  const target = { guild, channel: `search of ${guild}` };
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answer = await requests.get(target, `/guilds/${guild}/messages/search`, query);
      const found = zFound.safeParse(answer);
      if (found.success) return found.data.total_results;
      const later = zNotIndexed.safeParse(answer);
      if (!later.success) return 'failed';
      const waitMs = Math.max(SHORTEST_WAIT_MS, later.data.retry_after * 1000);
      if (tries < TRIES - 1)
        await pause(Math.min(waitMs, LONGEST_WAIT_MS), undefined, { signal: stopping });
    }
  } catch (error) {
    if (!stopping.aborted) log.info({ ...fault(error), guild }, 'Messages could not be counted.');
    if (!(error instanceof ChannelRefused) && isOfOneChannel(error)) return 'failed';
  }
  return 'unready';
}

/** The groups of which the bot may read the history. */
export async function readableGroups(
  { rules }: Pick<ImportNeeds, 'rules'>,
  guild: Guild,
): Promise<NonThreadGuildBasedChannel[]> {
  const { settings } = await rules.read(guild.id);
  return groupsOf(guild).filter((group) => isGroup(settings, group.id) && mayReadHistory(group));
}

/** Those with the newest message first. */
export function liveliestFirst(
  a: NonThreadGuildBasedChannel,
  b: NonThreadGuildBasedChannel,
): number {
  return compareIds(newestOf(b), newestOf(a));
}

function newestOf(group: NonThreadGuildBasedChannel): Snowflake {
  return ('lastMessageId' in group ? group.lastMessageId : null) ?? '0';
}

/** Where so many channels fail one after the other, an admin does not wait for the rest. */
const FAILURES_AT_MOST = 3;

/** Where there are fewer, no feed pours them. */
const MANY_LINKS = 10;

const FRESH_MS = 10 * MINUTE_MS;
/** Guilds whose counts are kept in the process. */
const KEPT_AT_MOST = 1000;

/** Counts the messages with links of a guild's channels, and keeps the counts for some minutes. */
export function openLinkCounts(needs: ImportNeeds): Imports['counts'] {
  const counted = new Map<Snowflake, { counts: LinkCounts; atMs: number }>();
  const counting = new Map<Snowflake, { work: Promise<LinkCounts>; soFar: LinkCounts | null }>();

  async function count(guild: Guild): Promise<LinkCounts> {
    const counts: LinkCounts = { channels: [], uncounted: [] };
    const groups = (await readableGroups(needs, guild)).sort(liveliestFirst);
    let failures = 0;
    for (const [at, group] of groups.entries()) {
      const rest = groups.slice(at).map(({ id }) => id);
      const under = counting.get(guild.id);
      if (under) under.soFar = { ...counts, uncounted: [...counts.uncounted, ...rest] };
      const links =
        failures >= FAILURES_AT_MOST
          ? 'unready'
          : await countMessages(needs, guild.id, [group.id], { has: 'link' });
      if (typeof links === 'string') {
        // A search that is refused or not ready is so for the other channels too.
        failures = links === 'unready' ? FAILURES_AT_MOST : failures + 1;
        counts.uncounted.push(group.id);
        continue;
      }
      failures = 0;
      if (links > 0) {
        const found =
          links < MANY_LINKS
            ? 0
            : await countMessages(needs, guild.id, [group.id], { has: 'link', by: 'bots' });
        const ofBots = typeof found === 'number' ? found : 0;
        counts.channels.push({ id: group.id, links, ofBots, isListed: isListed(group) });
      }
    }
    counts.channels.sort((a, b) => b.links - a.links);
    return counts;
  }

  async function read(guild: Guild): Promise<LinkCounts> {
    const under = counting.get(guild.id);
    if (under) return under.work;
    const work = count(guild)
      .then((counts) => {
        remember(counted, guild.id, { counts, atMs: performance.now() }, KEPT_AT_MOST);
        return counts;
      })
      .finally(() => counting.delete(guild.id));
    counting.set(guild.id, { work, soFar: null });
    return work;
  }

  return {
    known(guild: Snowflake): LinkCounts | null {
      const found = counted.get(guild);
      return found && performance.now() - found.atMs < FRESH_MS ? found.counts : null;
    },
    read,
    async soon(guild: Guild, withinMs: number): Promise<LinkCounts | null> {
      const ended = new AbortController();
      const late = pause(withinMs, undefined, { signal: ended.signal }).catch(() => {});
      try {
        const all = await Promise.race([read(guild), late.then(() => null)]);
        return all ?? counting.get(guild.id)?.soFar ?? null;
      } finally {
        ended.abort();
      }
    },
  };
}
