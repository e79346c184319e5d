import {
  type APIThreadChannel,
  ChannelType,
  type Guild,
  type NonThreadGuildBasedChannel,
  Routes,
} from 'discord.js';
import type { RequestQueue } from '../../discord/requests/queue.ts';
import { missing } from '../../discord/permissions.ts';
import { groupOf } from '../../discord/visibility.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** Something with messages in it, and the group that they belong to. */
export type Place = { channel: Snowflake; group: NonThreadGuildBasedChannel };

/** Whether the messages there can be read; without the permission Discord shows an empty list. */
export function mayRead(group: NonThreadGuildBasedChannel): boolean {
  return missing(group, ['ViewChannel', 'ReadMessageHistory']).length === 0;
}

/** The channels that are groups; forums among them hold no messages of their own. */
export function groupsOf(guild: Guild): NonThreadGuildBasedChannel[] {
  return [...guild.channels.cache.values()].filter(
    (channel): channel is NonThreadGuildBasedChannel =>
      !channel.isThread() && groupOf(channel) === channel,
  );
}

export function holdsMessages({ type }: NonThreadGuildBasedChannel): boolean {
  return type !== ChannelType.GuildForum && type !== ChannelType.GuildMedia;
}

type Threads = { threads: APIThreadChannel[]; has_more?: boolean };

/** The guild's open threads and forum posts that are not private. */
export async function activeThreads(requests: RequestQueue, guild: Guild): Promise<Place[]> {
  const place = { guild: guild.id, channel: guild.id };
  const route = Routes.guildActiveThreads(guild.id);
  const { threads } = (await requests.get(place, route)) as Threads;
  return threads.flatMap((thread) => placeOf(guild, thread) ?? []);
}

/** The archived threads of a group that are not private; only those archived since an instant. */
export async function archivedThreads(
  requests: RequestQueue,
  group: NonThreadGuildBasedChannel,
  sinceMs: number,
): Promise<Place[]> {
  const found = new Map<Snowflake, Place>();
  const route = Routes.channelThreads(group.id, 'public');
  for (let before: string | undefined; ; ) {
    const { threads } = (await requests.get({ guild: group.guildId, channel: group.id }, route, {
      limit: '100',
      ...(before === undefined ? {} : { before }),
    })) as Threads;
    const size = found.size;
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const thread of threads) {
      const archivedAtMs = Date.parse(thread.thread_metadata?.archive_timestamp ?? '');
      oldestMs = Math.min(oldestMs, archivedAtMs);
      const place = placeOf(group.guild, thread);
      if (place && !(archivedAtMs < sinceMs)) found.set(place.channel, place);
    }
    if (found.size === size || oldestMs < sinceMs) return [...found.values()];
    // Several can be archived in one millisecond: those at the edge come again.
    before = new Date(oldestMs + 1).toISOString();
  }
}

function placeOf(guild: Guild, { id, type, parent_id }: APIThreadChannel): Place | null {
  const group = guild.channels.cache.get(parent_id ?? '');
  if (type === ChannelType.PrivateThread || !group || group.isThread()) return null;
  return groupOf(group) === group ? { channel: id, group } : null;
}
