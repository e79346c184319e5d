import { type APIMessage, type Guild, type NonThreadGuildBasedChannel, Routes } from 'discord.js';
import { ChannelRefused } from '../../discord/requests/queue.ts';
import type { App } from '../../app.ts';
import type { Plan } from '../../records/imports.ts';
import {
  DISCORD_EPOCH_MS,
  type Snowflake,
  snowflakeAt,
  snowflakeTimeMs,
} from '../../ranking/snowflake.ts';
import {
  activeThreads,
  archivedThreads,
  holdsMessages,
  mayRead,
  type Place,
} from '../rebuild/places.ts';

const pageSize = 100;
/** No message is older than a second after the beginning of all snowflakes. */
const beginningMs = Number(DISCORD_EPOCH_MS) + 1000;

/** The messages of a group may not be read (any more). */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
}

/** A group's own messages, and its threads and posts that are not private, the oldest first. */
export async function placesOf(
  { requests }: App,
  guild: Guild,
  group: NonThreadGuildBasedChannel,
): Promise<Place[]> {
  if (!mayRead(group)) throw new NotReadable('The channel may not be read.');
  try {
    const active = await activeThreads(requests, guild);
    const threads = [
      ...active.filter((place) => place.group.id === group.id),
      ...(await archivedThreads(requests, group, 0)),
    ];
    const byId = new Map(threads.map((place) => [place.channel, place]));
    const inOrder = [...byId.values()].sort((a, b) => compare(a.channel, b.channel));
    return holdsMessages(group) ? [{ channel: group.id, group }, ...inOrder] : inOrder;
  } catch (error) {
    if (error instanceof ChannelRefused) throw new NotReadable('Discord refuses the channel.');
    throw error;
  }
}

/**
 * Reads messages from the oldest up, or on from a cursor, a page at a time, the oldest first: who
 * posted a link first has it. Throws `NotReadable` where Discord does not let us read.
 */
export async function* readUp(
  { requests }: App,
  guild: Snowflake,
  { channel, group }: Place,
  { fromMs, untilMs }: Pick<Plan, 'fromMs' | 'untilMs'>,
  cursor: Snowflake | undefined,
): AsyncGenerator<APIMessage[]> {
  let after = cursor ?? String(BigInt(snowflakeAt(Math.max(fromMs, beginningMs))) - 1n);
  for (;;) {
    if (!mayRead(group)) throw new NotReadable('The channel may not be read.');
    const query = { after, limit: String(pageSize) };
    const route = Routes.channelMessages(channel);
    let page: APIMessage[];
    try {
      page = (await requests.get({ guild, channel }, route, query)) as APIMessage[];
    } catch (error) {
      if (error instanceof ChannelRefused) throw new NotReadable('Discord refuses the channel.');
      throw error;
    }
    // The permission may have gone meanwhile: then an empty page says nothing.
    if (page.length === 0 && !mayRead(group)) throw new NotReadable('The channel may not be read.');
    const ascending = page.sort((a, b) => compare(a.id, b.id));
    const within = ascending.filter(({ id }) => snowflakeTimeMs(id) < untilMs);
    if (within.length > 0) yield within;
    const last = within.at(-1);
    // Only an empty page is the end: Discord may give fewer messages than were asked for.
    if (last === undefined || within.length < page.length) return;
    after = last.id;
  }
}

function compare(a: Snowflake, b: Snowflake): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
