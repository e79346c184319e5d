import { ChannelFlags, ChannelType, MessageType, PermissionFlagsBits } from 'discord-api-types/v10';
import { type Channel, isThread, isVoice } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { mayView } from '../permissions.ts';
import { userPayload } from '../user-payload.ts';

/** A thread's messages without the first, which a forum post or a message of the channel is. */
function repliesIn({ id, messages }: Channel): number {
  const [first] = messages.values();
  const isStarter = first?.type === MessageType.ThreadStarterMessage || first?.id === id;
  return messages.size - (isStarter ? 1 : 0);
}

function flagsOf({ spoiler, requiresTag, thread }: Channel): number {
  return (
    (spoiler ? ChannelFlags.IsSpoilerChannel : 0) |
    (requiresTag ? ChannelFlags.RequireTag : 0) |
    (thread?.pinned === true ? ChannelFlags.Pinned : 0)
  );
}

/** A channel as Discord sends it; `world` names the other side of a direct message. */
export function channelPayload(channel: Channel, world?: World): Record<string, unknown> {
  if (channel.type === ChannelType.DM) {
    return {
      id: channel.id,
      type: channel.type,
      last_message_id: channel.lastMessageId,
      flags: 0,
      recipients:
        world === undefined
          ? []
          : channel.recipientIds
              .filter((id) => id !== world.application.botId)
              .map((id) => userPayload(world, id)),
    };
  }
  const common = {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    name: channel.name,
    parent_id: channel.parentId,
    last_message_id: channel.lastMessageId,
    rate_limit_per_user: channel.slowmodeSeconds,
    flags: flagsOf(channel),
  };
  const { thread } = channel;
  if (thread === null) {
    return {
      ...common,
      topic: channel.topic,
      position: channel.position,
      nsfw: channel.ageRestricted,
      permission_overwrites: [...channel.overwrites.values()].map(({ id, kind, allow, deny }) => ({
        id,
        type: kind === 'role' ? 0 : 1,
        allow: allow.toString(),
        deny: deny.toString(),
      })),
      ...(isVoice(channel)
        ? {
            bitrate: channel.bitrate,
            user_limit: channel.userLimit,
            rtc_region: null,
            video_quality_mode: 1,
          }
        : {}),
      ...(channel.type === ChannelType.GuildForum
        ? {
            available_tags: channel.tags.map(({ id, name, moderated, emojiId, emojiName }) => ({
              id,
              name,
              moderated: moderated ?? false,
              emoji_id: emojiId ?? null,
              emoji_name: emojiName ?? null,
            })),
            default_reaction_emoji: null,
            default_sort_order: null,
            default_forum_layout: 0,
          }
        : {}),
      ...channel.settings,
    };
  }
  return {
    ...common,
    owner_id: thread.ownerId,
    message_count: repliesIn(channel),
    total_message_sent: repliesIn(channel),
    member_count: thread.memberIds.size,
    applied_tags: channel.appliedTagIds,
    thread_metadata: {
      archived: thread.archived,
      locked: thread.locked,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: new Date(thread.archiveChangedAtMs).toISOString(),
      create_timestamp: new Date(thread.createdAtMs).toISOString(),
      ...(channel.type === ChannelType.PrivateThread ? { invitable: thread.invitable } : {}),
    },
  };
}

/**
 * A channel of a guild as the gateway sends it. Since November 2026, one that the bot may not view has a
 * flag, no name, and one overwrite.
 */
export function gatewayChannel(world: World, channel: Channel): Record<string, unknown> {
  const payload = channelPayload(channel, world);
  const { guildId } = channel;
  if (guildId === null || isThread(channel)) return payload;
  if (mayView(world, channel, world.application.botId)) return payload;
  return {
    id: channel.id,
    type: channel.type,
    guild_id: guildId,
    position: channel.position,
    parent_id: channel.parentId,
    name: '___hidden___',
    flags: ChannelFlags.ChannelObfuscated,
    topic: null,
    nsfw: false,
    last_message_id: null,
    rate_limit_per_user: 0,
    permission_overwrites: [
      { id: guildId, type: 0, allow: '0', deny: PermissionFlagsBits.ViewChannel.toString() },
    ],
    ...(isVoice(channel)
      ? { bitrate: 64_000, user_limit: 0, rtc_region: null, video_quality_mode: 1 }
      : {}),
    ...(channel.type === ChannelType.GuildForum
      ? {
          available_tags: [],
          default_reaction_emoji: null,
          default_sort_order: null,
          default_forum_layout: 0,
        }
      : {}),
  };
}
