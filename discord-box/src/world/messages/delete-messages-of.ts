import type { Guild } from '../../model/guild.ts';
import { type Snowflake, snowflakeMs } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { deleteMessages } from './change-message.ts';

/** What a banned member wrote lately goes, channel by channel. */
export function deleteMessagesOf(
  world: World,
  guild: Guild,
  userId: Snowflake,
  withinMs: number,
): void {
  const since = world.clock.now() - withinMs;
  for (const channel of world.channels.values()) {
    if (channel.guildId !== guild.id) continue;
    const ids = channel.messageIds.filter(
      (id) => channel.messages.get(id)?.authorId === userId && snowflakeMs(id) >= since,
    );
    if (ids.length > 0) deleteMessages(world, channel, ids, true);
  }
}
