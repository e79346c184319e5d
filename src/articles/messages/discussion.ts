import { setTimeout as pause } from 'node:timers/promises';
import {
  type APIMessage,
  type APIThreadChannel,
  ChannelType,
  type NonThreadGuildBasedChannel,
  Routes,
  ThreadAutoArchiveDuration,
  type Client,
} from 'discord.js';
import { z } from 'zod';
import { isApiError } from '../../discord/api-errors.ts';
import { fault, type Log } from '../../runtime/log.ts';
import { onPacket } from '../../discord/gateway/packets.ts';
import { missingPermissions } from '../../discord/access/permissions.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import { writeReplies } from '../../ranking/articles/discussions.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import { removedThreadName, renameThread, threadName } from './thread-name.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { GuildRules } from '../../community/guild-rules.ts';
import { languageOfGuild } from '../../community/settings.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';

/** Whether articles of a channel can have a thread: its type, and Frontpage's permission. */
export function mayDiscuss(channel: NonThreadGuildBasedChannel): 'yes' | 'lacks' | 'no' {
  const { type } = channel;
  if (type !== ChannelType.GuildText && type !== ChannelType.GuildAnnouncement) return 'no';
  return missingPermissions(channel, ['CreatePublicThreads']).length === 0 ? 'yes' : 'lacks';
}

/** What starting a thread needs. */
export interface StartNeeds {
  /** Starts it at once, and knows the threads that are there. */
  client: Client;
  /** Where it stands that Discord takes no more threads, and who opted out. */
  store: Store;
  /** The articles. */
  ranking: Ranking;
  /** When a guild wants threads. */
  rules: GuildRules;
  /** Requests that can wait. */
  requests: Requests;
  /** Says what could not be done. */
  log: Log;
}

/**
 * Starts the thread for an article's discussion, if the guild wants it then. Discord gives it the article's
 * id. A failure is logged: the article stands without a thread. Where the server has as many threads as
 * Discord allows, the check-up says so until an article has got a thread again. Returns whether it is there now.
 */
export async function startDiscussion(
  needs: StartNeeds,
  home: NonThreadGuildBasedChannel,
  article: { id: Snowflake; channel: Snowflake; title: string; link: string },
  when: 'posted' | 'replied',
): Promise<boolean> {
  const { client, store, ranking, rules, log } = needs;
  const guild = home.guild.id;
  const { threadless } = storeKeys(store, guild);
  const read = await rules.read(guild);
  const wanted = when === 'posted' ? true : 'reply';
  if (read.settings.discussion !== wanted || article.channel !== home.id) return false;
  if (mayDiscuss(home) !== 'yes') return false;
  try {
    const thread = (await client.rest.post(Routes.threads(home.id, article.id), {
      body: {
        name: threadName(article),
        auto_archive_duration: ThreadAutoArchiveDuration.OneWeek,
      },
    })) as APIThreadChannel;
    await store.redis.del(threadless);
    // While the thread is being made, the title can be found or changed, or the article removed or erased.
    const now = await readArticle(ranking, guild, article.id);
    const name = now ? threadName(now) : removedThreadName(languageOfGuild(read, home.guild));
    if (name !== threadName(article)) await renameThread(needs, guild, thread, name);
    return true;
  } catch (error) {
    if (isApiError(error, 'ThreadAlreadyCreatedForMessage')) return false;
    log.warn({ ...fault(error), article: article.id }, 'A discussion could not be started.');
    if (isApiError(error, 'MaximumActiveThreads', 'MaximumActiveAnnouncementThreads')) {
      await store.redis.set(threadless, article.id);
    }
    return false;
  }
}

/**
 * The last article, if it has no thread because its server has as many active threads as Discord allows, or as
 * many in announcement channels; null once an article has got a thread again.
 */
export async function readThreadless(store: Store, guild: Snowflake): Promise<Snowflake | null> {
  const stored = await store.redis.get(storeKeys(store, guild).threadless);
  return zSnowflake.safeParse(stored).data ?? null;
}

/** Discord's number of messages does not include the article's own message. */
const zThread = z.object({ message_count: z.int().min(0) });

/** Keeps the number of messages in the thread of an article's message, if the message has one. */
export async function keepReplies(
  { ranking }: { ranking: Ranking },
  guild: Snowflake,
  { id, thread }: Pick<APIMessage, 'id' | 'thread'>,
): Promise<void> {
  const parsed = zThread.safeParse(thread);
  if (parsed.success) await writeReplies(ranking, guild, id, parsed.data.message_count);
}

export interface DiscussionNeeds {
  /** Tells of messages in threads; its cache knows the threads. */
  client: Client;
  /** Keeps the numbers of messages in discussions. */
  ranking: Ranking;
  /** Requests that can wait. */
  requests: Requests;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping: nothing is counted any more. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/** A thread is read this long after a message in it, once for all messages of that time. */
const COUNTED_AFTER_MS = 2000;

const zMessage = z.object({ guild_id: zSnowflake, channel_id: zSnowflake });

/**
 * Keeps the numbers of messages in discussions. Message events contain no number, so the thread is read
 * a moment later. While voting is open, a recount repairs missed events.
 */
export function followDiscussions(needs: DiscussionNeeds): void {
  const { client, ranking, requests, stopping, log, hold } = needs;
  const counting = new Set<Snowflake>();

  async function count(guild: Snowflake, thread: Snowflake): Promise<void> {
    await pause(COUNTED_AFTER_MS, undefined, { signal: stopping });
    counting.delete(thread);
    if (!(await readArticle(ranking, guild, thread))) return;
    const found = await requests.get({ guild, channel: thread }, Routes.channel(thread));
    await keepReplies(needs, guild, { id: thread, thread: found as APIThreadChannel });
  }

  function later(guild: Snowflake, thread: Snowflake): void {
    // Only a thread can have the id of an article.
    const channel = client.channels.cache.get(thread);
    if (stopping.aborted || counting.has(thread) || channel?.isThread() === false) return;
    counting.add(thread);
    const done = count(guild, thread).catch((error: unknown) => {
      if (stopping.aborted || error instanceof ChannelRefused) return;
      log.info({ ...fault(error), thread }, 'A discussion could not be counted.');
    });
    hold(done);
  }

  for (const event of ['MESSAGE_CREATE', 'MESSAGE_DELETE', 'MESSAGE_DELETE_BULK'] as const) {
    onPacket(client, event, zMessage, ({ guild_id, channel_id }) => later(guild_id, channel_id));
  }
}
