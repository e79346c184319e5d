import { ChannelType, GatewayIntentBits } from 'discord-api-types/v10';
import { channelPayload } from './channel-payload.ts';
import type { Message } from '../messages/message.ts';
import type { Snowflake } from '../world/snowflakes.ts';
import type { World } from '../world/world.ts';

export type Overwrite = { id: Snowflake; kind: 'role' | 'member'; allow: bigint; deny: bigint };

export type Thread = {
  ownerId: Snowflake;
  archived: boolean;
  locked: boolean;
  autoArchiveMinutes: number;
  archiveChangedAtMs: number;
  memberIds: Set<Snowflake>;
};

export type Channel = {
  id: Snowflake;
  type: ChannelType;
  /** null for a direct message. */
  guildId: Snowflake | null;
  name: string;
  topic: string | null;
  position: number;
  /** The category of a channel, or the channel of a thread. */
  parentId: Snowflake | null;
  ageRestricted: boolean;
  overwrites: Map<Snowflake, Overwrite>;
  /** Both sides of a direct message. */
  recipientIds: Snowflake[];
  tags: { id: Snowflake; name: string }[];
  appliedTagIds: Snowflake[];
  thread: Thread | null;
  lastMessageId: Snowflake | null;
  /** By id, in the order of their ids. */
  messages: Map<Snowflake, Message>;
  messageIds: Snowflake[];
};

export type NewChannel = Partial<Omit<Channel, 'overwrites' | 'messages' | 'messageIds'>> & {
  overwrites?: Overwrite[];
};

export function createChannel(world: World, channel: NewChannel): Channel {
  const created: Channel = {
    id: world.snowflake(),
    type: ChannelType.GuildText,
    guildId: null,
    name: 'channel',
    topic: null,
    position: world.channels.size,
    parentId: null,
    ageRestricted: false,
    recipientIds: [],
    tags: [],
    appliedTagIds: [],
    thread: null,
    lastMessageId: null,
    ...channel,
    overwrites: new Map(channel.overwrites?.map((overwrite) => [overwrite.id, overwrite])),
    messages: new Map(),
    messageIds: [],
  };
  world.channels.set(created.id, created);
  emitChannel(world, created, 'CREATE');
  return created;
}

/** A thread's name, archived and locked are changed through `thread`. */
export function changeChannel(
  world: World,
  channel: Channel,
  change: Partial<
    Pick<Channel, 'name' | 'topic' | 'position' | 'parentId' | 'ageRestricted' | 'appliedTagIds'>
  > & { thread?: Partial<Pick<Thread, 'archived' | 'locked' | 'autoArchiveMinutes'>> },
): void {
  const { thread, ...rest } = change;
  Object.assign(channel, rest);
  if (channel.thread !== null && thread !== undefined) {
    const archived = channel.thread.archived;
    Object.assign(channel.thread, thread);
    if (channel.thread.archived !== archived) channel.thread.archiveChangedAtMs = world.clock.now();
  }
  emitChannel(world, channel, 'UPDATE');
}

/** Sets or, with null, removes what a role or a member may do in a channel. */
export function setOverwrite(
  world: World,
  channel: Channel,
  id: Snowflake,
  overwrite: Omit<Overwrite, 'id'> | null,
): void {
  if (overwrite === null) channel.overwrites.delete(id);
  else channel.overwrites.set(id, { id, ...overwrite });
  emitChannel(world, channel, 'UPDATE');
}

/** Its threads and messages go with it, silently: Discord sends no events for those. */
export function deleteChannel(world: World, channel: Channel): void {
  for (const child of world.channels.values()) {
    if (child.parentId !== channel.id) continue;
    if (isThread(child)) world.channels.delete(child.id);
    else changeChannel(world, child, { parentId: null });
  }
  emitChannel(world, channel, 'DELETE');
  world.channels.delete(channel.id);
}

function emitChannel(world: World, channel: Channel, verb: 'CREATE' | 'UPDATE' | 'DELETE'): void {
  if (channel.guildId === null) return;
  const thread = isThread(channel);
  const { id, guildId, parentId, type } = channel;
  const deletedThread = thread && verb === 'DELETE';
  world.changes.emit({
    t: `${thread ? 'THREAD' : 'CHANNEL'}_${verb}`,
    d: deletedThread
      ? { id, guild_id: guildId, parent_id: parentId, type }
      : {
          ...channelPayload(channel),
          ...(thread && verb === 'CREATE' ? { newly_created: true } : {}),
        },
    guildId,
    // All channels are told to everyone, threads only to those who may view them.
    ...(thread ? { channelId: id } : {}),
    intents: GatewayIntentBits.Guilds,
  });
}

export function openDirectMessages(world: World, userId: Snowflake): Channel {
  const { botId } = world.application;
  for (const channel of world.channels.values()) {
    if (channel.type === ChannelType.DM && channel.recipientIds.includes(userId)) return channel;
  }
  return createChannel(world, { type: ChannelType.DM, name: '', recipientIds: [userId, botId] });
}

export function isThread(channel: Channel): boolean {
  return channel.thread !== null;
}

/** Whether messages can stand in it directly. */
export function holdsMessages(channel: Channel): boolean {
  return channel.type !== ChannelType.GuildCategory && channel.type !== ChannelType.GuildForum;
}
