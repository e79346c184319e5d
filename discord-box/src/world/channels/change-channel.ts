import { ChannelType, GatewayIntentBits } from 'discord-api-types/v10';
import { type Channel, isThread, type Overwrite, type Thread } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { leaveVoice } from '../voice.ts';
import { gatewayChannel } from './channel-payload.ts';
import { tellVisibility } from './tell-visibility.ts';

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
    spoiler: false,
    recipientIds: [],
    tags: [],
    requiresTag: false,
    settings: {},
    appliedTagIds: [],
    slowmodeSeconds: 0,
    userLimit: 0,
    bitrate: 64_000,
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
    Pick<
      Channel,
      | 'name'
      | 'type'
      | 'topic'
      | 'position'
      | 'parentId'
      | 'ageRestricted'
      | 'spoiler'
      | 'appliedTagIds'
      | 'tags'
      | 'requiresTag'
      | 'settings'
      | 'slowmodeSeconds'
      | 'userLimit'
      | 'bitrate'
    >
  > & {
    thread?: Partial<
      Pick<Thread, 'archived' | 'locked' | 'autoArchiveMinutes' | 'invitable' | 'pinned'>
    >;
  },
): void {
  const { thread, settings, ...rest } = change;
  Object.assign(channel, rest);
  Object.assign(channel.settings, settings);
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
  const change = (): void => {
    if (overwrite === null) channel.overwrites.delete(id);
    else channel.overwrites.set(id, { id, ...overwrite });
    emitChannel(world, channel, 'UPDATE');
  };
  tellVisibility(world, channel.guildId, change, channel);
}

/** Sets all of them at once. */
export function setOverwrites(world: World, channel: Channel, overwrites: Overwrite[]): void {
  const change = (): void => {
    channel.overwrites.clear();
    for (const overwrite of overwrites) channel.overwrites.set(overwrite.id, overwrite);
    emitChannel(world, channel, 'UPDATE');
  };
  tellVisibility(world, channel.guildId, change, channel);
}

/** Its threads and messages go with it, silently: Discord sends no events for those. */
export function deleteChannel(world: World, channel: Channel): void {
  for (const child of world.channels.values()) {
    if (child.parentId !== channel.id) continue;
    if (isThread(child)) world.channels.delete(child.id);
    else changeChannel(world, child, { parentId: null });
  }
  const guild = world.guilds.get(channel.guildId ?? '');
  for (const [userId, { channelId }] of guild?.voiceStates ?? []) {
    if (channelId === channel.id) leaveVoice(world, guild!, userId);
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
          ...gatewayChannel(world, channel),
          ...(thread && verb === 'CREATE' ? { newly_created: true } : {}),
        },
    guildId,
    // All channels are told, hidden ones without their names; threads only to those who may view them.
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
