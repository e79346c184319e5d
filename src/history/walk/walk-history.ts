import { type APIMessage, MessageType, type NonThreadGuildBasedChannel, Routes } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { readPage } from '../../discord/requests/read-messages.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { ChannelRefused, isOfOneChannel } from '../../discord/requests/refusals.ts';
import { limits } from '../../discord/limits.ts';
import {
  compareIds,
  type Snowflake,
  snowflakeAt,
  snowflakeTimeMs,
} from '../../runtime/snowflake.ts';
import { type Cursors, END } from './stored-walk.ts';
import { type HistoryChannel, type ThreadInMessage, threadToRead } from './channels.ts';

export type Walk = {
  requests: Requests;
  /** The messages to read, the newest first. `untilMs` is not included. */
  range: { fromMs: number; untilMs?: number };
  /** The number of channels that are read at once, each within its own rate limit. */
  sideBySide: number;
  /** Where the walk continues. */
  cursors: Cursors;
  /** Aborted when the walk must end. */
  signal: AbortSignal;
  /** Handles the messages of a page. */
  handle(messages: APIMessage[], toRead: HistoryChannel): Promise<void>;
  /** Stores how far a channel was read, before its next page is read. Throws if the walk must end. */
  note(channel: Snowflake, cursor: string): Promise<void>;
  /** Called with messages that have another form than Discord's. They are left out. */
  onBroken?(messages: readonly Snowflake[]): void;
  /** Called with a thread that only a message names, before it is read. */
  onThread?(toRead: HistoryChannel): Promise<void>;
  /** Called with a thread that only a message names, and that Discord failed to show. */
  onMissedThread?(thread: Snowflake): Promise<void>;
  /** Called after each channel, with the number of channels done. */
  onChannel?(done: number): void;
};

/**
 * `refused`: the bot may not read it. `unknown`: Discord says that it does not exist, though it is in the
 * guild's list. `failed`: Discord answers with a fault, which may pass.
 */
export type Unread = HistoryChannel & Reason;
type Reason = { why: 'refused' | 'unknown' } | { why: 'failed'; error: unknown };

/**
 * Reads the history of these channels, a page at a time, and continues where an earlier walk stopped.
 * Threads that only a message in the channel names are read as well: Discord lists archived threads
 * of the channel's present type alone, and not those from before the channel was converted.
 * Returns the channels that could not be read. They do not stop the others, and neither do those that
 * were deleted meanwhile, in which nothing is left to read.
 */
export async function walkHistory(
  walk: Walk,
  channels: readonly HistoryChannel[],
): Promise<Unread[]> {
  const unread: Unread[] = [];
  const all = [...channels];
  const known = new Set(all.map(({ channel }) => channel));
  const handle: Walk['handle'] = async (messages, toRead) => {
    await walk.handle(messages, toRead);
    for (const thread of messages.flatMap(threadOf)) {
      if (known.has(thread.id)) continue;
      known.add(thread.id);
      const found = await threadToRead(walk.requests, toRead.group.guild, thread).catch(
        async (error: unknown) => {
          if (!isOfOneChannel(error)) throw error;
          unread.push({ ...toRead, channel: thread.id, why: 'failed', error });
          await walk.onMissedThread?.(thread.id);
          return null;
        },
      );
      if (found === null) continue;
      await walk.onThread?.(found);
      all.push(found);
    }
  };
  let begun = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let toRead = all[begun]; toRead !== undefined; toRead = all[begun]) {
      begun += 1;
      try {
        await walkChannel({ ...walk, handle }, toRead);
      } catch (error) {
        if (!isOfOneChannel(error)) throw error;
        const reason = reasonOf(error);
        if (reason.why !== 'unknown' || isListedChannel(toRead)) {
          unread.push({ ...toRead, ...reason });
        }
      }
      done += 1;
      walk.onChannel?.(done);
    }
  };
  await Promise.all(Array.from({ length: walk.sideBySide }, work));
  return unread;
}

function reasonOf(error: unknown): Reason {
  if (isApiError(error, 'UnknownChannel')) return { why: 'unknown' };
  return error instanceof ChannelRefused ? { why: 'refused' } : { why: 'failed', error };
}

/** The thread that grew from this message, or that this message announces. */
function threadOf({ type, thread, message_reference: about }: APIMessage): ThreadInMessage[] {
  if (thread) return [thread];
  return type === MessageType.ThreadCreated && about ? [{ id: about.channel_id }] : [];
}

/** False for a thread, and for a channel of which the gateway told the deletion. */
function isListedChannel({ channel, group }: HistoryChannel): boolean {
  return channel === group.id && group.guild.channels.cache.has(channel);
}

async function walkChannel(walk: Walk, toRead: HistoryChannel): Promise<void> {
  const { requests, cursors, signal } = walk;
  const { fromMs, untilMs } = walk.range;
  const { channel, group } = toRead;
  let cursor = cursors.get(channel) ?? (untilMs === undefined ? undefined : snowflakeAt(untilMs));
  while (cursor !== END) {
    signal.throwIfAborted();
    if (cursor !== undefined && snowflakeTimeMs(cursor) <= fromMs) return;
    requireHistory(group);
    const query = { limit: String(limits.pageSize), ...(cursor && { before: cursor }) };
    const route = Routes.channelMessages(channel);
    const page = readPage(await requests.get(toRead, route, query));
    // If the permission was lost meanwhile, an empty page is no evidence.
    if (page.length === 0) requireHistory(group);
    signal.throwIfAborted();
    const messages = page.messages.sort((a, b) => compareIds(b.id, a.id));
    if (page.broken.length > 0) walk.onBroken?.(page.broken);
    await walk.handle(messages, toRead);
    // Only an empty page is the end: Discord may return fewer messages than the limit.
    const ids = [...messages.map(({ id }) => id), ...page.broken].sort(compareIds);
    cursor = ids[0] ?? END;
    cursors.set(channel, cursor);
    await walk.note(channel, cursor);
  }
}

function requireHistory(group: NonThreadGuildBasedChannel): void {
  if (!mayReadHistory(group)) throw new ChannelRefused('The history may not be read.');
}
