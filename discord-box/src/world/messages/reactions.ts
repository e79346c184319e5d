import { GatewayIntentBits } from 'discord-api-types/v10';
import { emojiOfReaction } from '../known-emoji.ts';
import { memberPayload } from '../member-payload.ts';
import type { Channel } from '../../model/channel.ts';
import type { Emoji, Message, Reaction } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { compareIds, type Snowflake } from '../../model/snowflakes.ts';
import { noteReaction } from './past.ts';

export function emojiKey(emoji: Emoji): string {
  return emoji.id ?? emoji.name;
}

/** Returns whether anything changed: adding what is there is not an error. */
export function addReaction(
  world: World,
  channel: Channel,
  message: Message,
  userId: Snowflake,
  emoji: Emoji,
  burst: boolean,
): boolean {
  const key = emojiKey(emoji);
  const reaction = message.reactions.get(key) ?? { emoji, normal: new Set(), burst: new Set() };
  const list = burst ? reaction.burst : reaction.normal;
  if (list.has(userId)) return false;
  list.add(userId);
  message.reactions.set(key, reaction);
  noteReaction(message, { emoji, userId, burst, added: true });
  const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
  const member = guild?.members.get(userId);
  emit(world, channel, 'MESSAGE_REACTION_ADD', {
    user_id: userId,
    message_id: message.id,
    message_author_id: message.authorId,
    emoji: emojiOfReaction(world, emoji),
    burst,
    type: burst ? 1 : 0,
    ...(burst ? { burst_colors: ['#ffcc4d'] } : {}),
    ...(member === undefined ? {} : { member: memberPayload(world, member) }),
  });
  return true;
}

export function removeReaction(
  world: World,
  channel: Channel,
  message: Message,
  userId: Snowflake,
  emoji: Emoji,
  burst: boolean,
): boolean {
  const reaction = message.reactions.get(emojiKey(emoji));
  const list = burst ? reaction?.burst : reaction?.normal;
  if (reaction === undefined || list?.delete(userId) !== true) return false;
  noteReaction(message, { emoji, userId, burst, added: false });
  if (reaction.normal.size + reaction.burst.size === 0) message.reactions.delete(emojiKey(emoji));
  emit(world, channel, 'MESSAGE_REACTION_REMOVE', {
    user_id: userId,
    message_id: message.id,
    emoji: emojiOfReaction(world, emoji),
    burst,
    type: burst ? 1 : 0,
  });
  return true;
}

export function removeEmoji(
  world: World,
  channel: Channel,
  message: Message,
  emoji: Emoji,
): boolean {
  const reaction = message.reactions.get(emojiKey(emoji));
  if (reaction === undefined) return false;
  clear(message, reaction);
  emit(world, channel, 'MESSAGE_REACTION_REMOVE_EMOJI', {
    message_id: message.id,
    emoji: emojiOfReaction(world, emoji),
  });
  return true;
}

function clear(message: Message, { emoji, normal, burst }: Reaction): void {
  for (const userId of normal) noteReaction(message, { emoji, userId, burst: false, added: false });
  for (const userId of burst) noteReaction(message, { emoji, userId, burst: true, added: false });
  message.reactions.delete(emojiKey(emoji));
}

export function removeAllReactions(world: World, channel: Channel, message: Message): void {
  if (message.reactions.size === 0) return;
  for (const reaction of message.reactions.values()) clear(message, reaction);
  emit(world, channel, 'MESSAGE_REACTION_REMOVE_ALL', { message_id: message.id });
}

function emit(world: World, channel: Channel, t: string, d: Record<string, unknown>): void {
  world.changes.emit({
    t,
    d: {
      channel_id: channel.id,
      ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
      ...d,
    },
    ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
    channelId: channel.id,
    intents:
      channel.guildId === null
        ? GatewayIntentBits.DirectMessageReactions
        : GatewayIntentBits.GuildMessageReactions,
  });
}

export function reactionPayloads(
  world: World,
  message: Message,
  viewerId: Snowflake,
): Record<string, unknown>[] {
  return [...message.reactions.values()].map(({ emoji, normal, burst }) => ({
    emoji: emojiOfReaction(world, emoji),
    count: normal.size + burst.size,
    count_details: { normal: normal.size, burst: burst.size },
    me: normal.has(viewerId),
    me_burst: burst.has(viewerId),
    burst_colors: burst.size === 0 ? [] : ['#ffcc4d'],
  }));
}

/** One page of those who reacted, in ascending order of user id. */
export function reactionUsers(
  message: Message,
  emoji: Emoji,
  page: { burst: boolean; after: Snowflake; limit: number },
): Snowflake[] {
  const reaction = message.reactions.get(emojiKey(emoji));
  const list = page.burst ? reaction?.burst : reaction?.normal;
  const users = [...(list ?? [])].filter((id) => compareIds(id, page.after) > 0);
  return users.sort(compareIds).slice(0, page.limit);
}
