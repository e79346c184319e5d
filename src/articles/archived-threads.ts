import { type Client, Routes } from 'discord.js';
import { z } from 'zod';
import type { Article } from '../ranking/articles/articles.ts';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import type { RequestQueue } from '../discord/requests/queue.ts';

/** Threads that nobody reads at the moment: their messages cannot be edited, and opening them is not ours. */
export type ArchivedThreads = {
  /** Whether the article's message is in one. */
  hold(guild: Snowflake, article: Pick<Article, 'channel' | 'home'>): Promise<boolean>;
  /** Discord said so. */
  add(thread: Snowflake): void;
};

const zMetadata = z.object({ archived: z.boolean() });
const zThread = z.object({ id: zSnowflake, guild_id: zSnowflake, thread_metadata: zMetadata });
const zChannel = z.object({ thread_metadata: zMetadata.optional() });

/** Active threads are usually in the client's cache, and archived ones are not: Discord is asked once. */
export function openArchivedThreads(options: {
  client: Client;
  requests: RequestQueue;
  /** A thread of the guild can be edited in again. */
  onOpened: (guild: Snowflake) => void;
}): ArchivedThreads {
  const { client, requests, onOpened } = options;
  const archived = new Set<Snowflake>();
  client.ws.on('THREAD_UPDATE' as never, (packet: unknown) => {
    const thread = zThread.safeParse(packet);
    if (!thread.success || thread.data.thread_metadata.archived) return;
    archived.delete(thread.data.id);
    onOpened(thread.data.guild_id);
  });
  return {
    async hold(guild, { channel, home }) {
      if (channel === home) return false;
      const known = client.channels.cache.get(channel);
      if (known?.isThread()) return known.archived === true;
      if (archived.has(channel)) return true;
      const found = await requests.get({ guild, channel }, Routes.channel(channel));
      if (zChannel.parse(found).thread_metadata?.archived !== true) return false;
      archived.add(channel);
      return true;
    },
    add: (thread) => void archived.add(thread),
  };
}
