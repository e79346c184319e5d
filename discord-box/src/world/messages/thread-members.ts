import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Channel } from '../../model/channel.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { memberPayload } from '../member-payload.ts';

export function threadMemberPayload(
  world: World,
  { id, guildId }: Channel,
  userId: Snowflake,
  withMember = false,
): Record<string, unknown> {
  const join_timestamp = new Date(world.clock.now()).toISOString();
  const member = withMember ? world.guilds.get(guildId ?? '')?.members.get(userId) : undefined;
  return {
    id,
    user_id: userId,
    join_timestamp,
    flags: 1,
    ...(member === undefined ? {} : { member: memberPayload(world, member) }),
  };
}

/** Somebody joins a thread, is added to it, leaves it or is taken out. */
export function changeThreadMembers(
  world: World,
  channel: Channel,
  userId: Snowflake,
  joins: boolean,
): void {
  const { thread, guildId } = channel;
  if (thread === null || guildId === null || thread.memberIds.has(userId) === joins) return;
  if (joins) thread.memberIds.add(userId);
  else thread.memberIds.delete(userId);
  const isBot = userId === world.application.botId;
  world.changes.emit({
    t: 'THREAD_MEMBERS_UPDATE',
    d: {
      id: channel.id,
      guild_id: guildId,
      member_count: thread.memberIds.size,
      ...(joins
        ? { added_members: [threadMemberPayload(world, channel, userId)] }
        : { removed_member_ids: [userId] }),
    },
    guildId,
    channelId: channel.id,
    intents: isBot ? GatewayIntentBits.Guilds : GatewayIntentBits.GuildMembers,
  });
}
