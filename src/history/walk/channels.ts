import {
  type APIThreadChannel,
  ChannelType,
  type Guild,
  type NonThreadGuildBasedChannel,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { isApiError, NotDiscord } from '../../discord/api-errors.ts';
import { ChannelRefused, isOfOneChannel, type Target } from '../../discord/requests/refusals.ts';
import { homeInType } from '../../discord/access/visibility.ts';
import {
  compareIds,
  type Snowflake,
  snowflakeTimeMs,
  zSnowflake,
} from '../../runtime/snowflake.ts';
import { limits } from '../../discord/limits.ts';
import { translate } from '../../text/catalogue.ts';

/**
 * A channel or thread that holds messages, and the group that they belong to. `newestMs`: it holds none that
 * is newer, as Discord says of most threads.
 */
export type HistoryChannel = Target & { group: NonThreadGuildBasedChannel; newestMs?: number };

/** The channels of groups, which hold messages unless they are forums. */
export function channelsOf(groups: readonly NonThreadGuildBasedChannel[]): HistoryChannel[] {
  return groups
    .filter(({ type }) => type !== ChannelType.GuildForum && type !== ChannelType.GuildMedia)
    .map((group) => ({ guild: group.guildId, channel: group.id, group }));
}

type Found = {
  channels: HistoryChannel[];
  /** What Discord does not show. */
  unread: UnreadChannel[];
};

/**
 * Returns everything in these groups that holds messages: the channels, and the threads and forum
 * posts that are not private. Archived threads are included if they were archived since the given
 * time. If Discord refuses a list of threads or fails to give it, only that group's threads are left out.
 */
export async function findChannels(
  requests: Requests,
  guild: Guild,
  groups: readonly NonThreadGuildBasedChannel[],
  archivedSinceMs: number,
): Promise<Found> {
  const present = await findPresent(requests, guild, groups);
  const archived = await findArchived(requests, groups, archivedSinceMs);
  return joined(present, archived);
}

/** Both without doubles: a thread may be archived between the lists. */
export function joined(a: Found, b: Found): Found {
  const channels = new Map([...a.channels, ...b.channels].map((one) => [one.channel, one]));
  return { channels: [...channels.values()], unread: [...new Set([...a.unread, ...b.unread])] };
}

/** The channels and the threads that are not archived: one request, however many there are. */
export async function findPresent(
  requests: Requests,
  guild: Guild,
  groups: readonly NonThreadGuildBasedChannel[],
): Promise<Found> {
  const readable = new Set(groups.filter(mayReadHistory));
  const hidden = groups.filter((group) => !readable.has(group)).map(({ id }) => id);
  const active = await nullIfUnread(activeThreads(requests, guild));
  const threads = (active ?? []).filter(({ group }) => readable.has(group));
  const unlisted = active === null ? [...readable].map(listOfThreads) : [];
  return { channels: [...channelsOf([...readable]), ...threads], unread: [...hidden, ...unlisted] };
}

/** The threads that were archived since: one request a group at least. */
export async function findArchived(
  requests: Requests,
  groups: readonly NonThreadGuildBasedChannel[],
  sinceMs: number,
): Promise<Found> {
  const found: Found = { channels: [], unread: [] };
  for (const group of groups) {
    if (!mayReadHistory(group) || !hasThreads(group)) continue;
    const archived = await nullIfUnread(archivedThreads(requests, group, sinceMs));
    if (archived) found.channels.push(...archived);
    else found.unread.push(listOfThreads(group));
  }
  return found;
}

function listOfThreads({ id }: NonThreadGuildBasedChannel): UnreadChannel {
  return `${id}/threads`;
}

/** Sorts channels and threads by their creation time. */
export function oldestFirst(channels: readonly HistoryChannel[]): HistoryChannel[] {
  return channels.toSorted((a, b) => compareIds(a.channel, b.channel));
}

async function nullIfUnread<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (isOfOneChannel(error)) return null;
    throw error;
  }
}

/** Voice and stage channels have messages and no threads. */
function hasThreads({ type }: NonThreadGuildBasedChannel): boolean {
  return type !== ChannelType.GuildVoice && type !== ChannelType.GuildStageVoice;
}

/** A separate key for the request queue: Discord may refuse the list but allow the messages. */
function threadsOf(guild: Snowflake, of: Snowflake): { guild: Snowflake; channel: Snowflake } {
  return { guild, channel: `threads of ${of}` };
}

const zThread = z.looseObject({
  id: zSnowflake,
  type: z.int(),
  parent_id: zSnowflake.nullish(),
  last_message_id: zSnowflake.nullish(),
  thread_metadata: z.looseObject({ archive_timestamp: z.string() }).optional(),
});
const zThreads = z.looseObject({ threads: z.array(z.unknown()) });

const isThread = (one: unknown): one is APIThreadChannel => zThread.safeParse(one).success;

/** The threads of a list. One that has another form than Discord's stops no others. */
function threadsIn(answer: unknown): APIThreadChannel[] {
  const list = zThreads.safeParse(answer);
  if (!list.success) throw new NotDiscord('The answer is no list of threads.');
  return list.data.threads.filter(isThread);
}

async function activeThreads(requests: Requests, guild: Guild): Promise<HistoryChannel[]> {
  const route = Routes.guildActiveThreads(guild.id);
  const threads = threadsIn(await requests.get(threadsOf(guild.id, guild.id), route));
  return threads.flatMap((thread) => historyChannelOf(guild, thread) ?? []);
}

async function archivedThreads(
  requests: Requests,
  group: NonThreadGuildBasedChannel,
  sinceMs: number,
): Promise<HistoryChannel[]> {
  const found = new Map<Snowflake, HistoryChannel>();
  const route = Routes.channelThreads(group.id, 'public');
  for (let before: string | undefined; ; ) {
    const query = {
      limit: String(limits.pageSize),
      ...(before === undefined ? {} : { before }),
    };
    const of = threadsOf(group.guildId, group.id);
    const threads = threadsIn(await requests.get(of, route, query));
    const size = found.size;
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const thread of threads) {
      const archivedAtMs = Date.parse(thread.thread_metadata?.archive_timestamp ?? '');
      if (!Number.isNaN(archivedAtMs)) oldestMs = Math.min(oldestMs, archivedAtMs);
      const toRead = historyChannelOf(group.guild, thread);
      if (toRead && !(archivedAtMs < sinceMs)) found.set(toRead.channel, toRead);
    }
    if (found.size === size || oldestMs < sinceMs || oldestMs === Number.POSITIVE_INFINITY)
      return [...found.values()];
    // Several threads can be archived in one millisecond, so read the last millisecond again.
    before = new Date(oldestMs + 1).toISOString();
  }
}

/** A thread as a message contains it: whole, or its id alone. */
export type ThreadInMessage = APIThreadChannel | { id: Snowflake };

/** Null if the thread is private, is gone, or may not be seen. */
export async function threadToRead(
  requests: Requests,
  guild: Guild,
  thread: ThreadInMessage,
): Promise<HistoryChannel | null> {
  if ('type' in thread) return historyChannelOf(guild, thread);
  const toRead = { guild: guild.id, channel: thread.id };
  try {
    const found = await requests.get(toRead, Routes.channel(thread.id));
    return historyChannelOf(guild, found as APIThreadChannel);
  } catch (error) {
    if (error instanceof ChannelRefused || isApiError(error, 'UnknownChannel')) return null;
    throw error;
  }
}

function historyChannelOf(
  guild: Guild,
  { id, type, parent_id, last_message_id: last }: APIThreadChannel,
): HistoryChannel | null {
  const group = homeInType(type, guild.channels.cache.get(parent_id ?? ''));
  if (!group) return null;
  const newest = last ? { newestMs: snowflakeTimeMs(last) } : {};
  return { guild: guild.id, channel: id, group, ...newest };
}

/**
 * What could not be read: `<group>`, the channel itself; `<group>/<thread>`, one of its threads; or
 * `<group>/threads`, the list of its threads.
 */
export type UnreadChannel = string;

export function unreadChannelOf(group: Snowflake, channel: Snowflake): UnreadChannel {
  return channel === group ? group : `${group}/${channel}`;
}

export function groupOfUnread(unread: UnreadChannel): Snowflake {
  return unread.split('/')[0] ?? '';
}

/** The channel or thread of the requests that were refused. */
export function channelOfUnread(unread: UnreadChannel): Snowflake {
  const [group = '', inGroup] = unread.split('/');
  return inGroup === undefined || inGroup === 'threads' ? group : inGroup;
}

// A report of an import and the next question must fit into one message.
const NAMED_AT_MOST = 20;

/** Names the channels; only some of them. */
export function unreadText(locale: string | null, unread: readonly UnreadChannel[]): string {
  const names = unread.slice(0, NAMED_AT_MOST).map((each) => {
    const [group, inGroup] = each.split('/');
    if (inGroup !== 'threads') return `<#${inGroup ?? group}>`;
    return translate(locale, 'rebuild.unread.threads', { channel: `<#${group}>` });
  });
  return names.join(', ');
}
