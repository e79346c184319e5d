import type { Client, Guild } from 'discord.js';
import { z } from 'zod';
import type { App } from '../app.ts';
import { groupsOf } from '../discord/access/visibility.ts';
import { onPacket } from '../discord/gateway/packets.ts';
import type { TaskQueue } from '../discord/requests/tasks.ts';
import { deleteArticle } from '../ranking/articles/articles.ts';
import { removeGroup, setListed } from '../ranking/articles/groups.ts';
import { walkNewest } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';
import { forgetChannel, noteChannels } from '../community/known-guilds.ts';

const zChannel = z.object({ guild_id: zSnowflake, id: zSnowflake });
const zThread = zChannel.extend({ parent_id: zSnowflake });

export function followDeletedChannels(client: Client, ranking: Ranking, tasks: TaskQueue): void {
  onPacket(client, 'CHANNEL_DELETE', zChannel, ({ guild_id, id }) =>
    tasks.add(`deletion of ${id}`, () => removeGroup(ranking, guild_id, id)),
  );
  onPacket(client, 'THREAD_DELETE', zThread, (thread) =>
    tasks.add(`deletion of ${thread.id}`, () => removeThread(ranking, thread)),
  );
}

/**
 * Deletes the articles whose messages were in a deleted thread. They are in the list of its parent and
 * not older than the thread. Bounded steps; idempotent.
 */
async function removeThread(
  ranking: Ranking,
  { guild_id: guild, id: thread, parent_id: parent }: z.infer<typeof zThread>,
): Promise<void> {
  const gone: Snowflake[] = [];
  const list = { guild, group: parent };
  for await (const articles of walkNewest(ranking, list, snowflakeTimeMs(thread), Infinity)) {
    gone.push(...articles.filter(({ channel }) => channel === thread).map(({ id }) => id));
  }
  // Delete after the walk, because a deletion shifts the pages.
  for (const id of gone) await deleteArticle(ranking, guild, id);
}

/**
 * Notes the guild's channels, and hides the articles of channels that were deleted during downtime from
 * its lists. It does not delete them: that needs Discord's own deletion event.
 */
export async function hideDeletedChannels(
  { store, ranking }: Pick<App, 'ranking' | 'store'>,
  guild: Guild,
): Promise<void> {
  const groups = groupsOf(guild).map(({ id }) => id);
  for (const channel of await noteChannels(store, guild.id, groups)) {
    await setListed(ranking, { guild: guild.id, home: channel, listed: false });
    await forgetChannel(store, guild.id, channel);
  }
}
