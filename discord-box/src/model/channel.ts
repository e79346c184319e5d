import { ChannelType } from 'discord-api-types/v10';
import type { Snowflake } from './snowflakes.ts';
import type { Json, Message } from './message.ts';

export type Overwrite = { id: Snowflake; kind: 'role' | 'member'; allow: bigint; deny: bigint };

export type Thread = {
  ownerId: Snowflake;
  archived: boolean;
  locked: boolean;
  autoArchiveMinutes: number;
  /** A thread of a message has the message's id, which is older. */
  createdAtMs: number;
  archiveChangedAtMs: number;
  memberIds: Set<Snowflake>;
  /** Whether members other than its moderators may bring others into a private one. */
  invitable: boolean;
  /** The one post that stands at the top of its forum (channel flag 1 << 1). */
  pinned: boolean;
};

/** A tag of a forum's posts. */
export type Tag = {
  id: Snowflake;
  name: string;
  moderated?: boolean;
  emojiId?: Snowflake | null;
  emojiName?: string | null;
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
  /** Members opt in to view it (channel flag 1 << 21). */
  spoiler: boolean;
  overwrites: Map<Snowflake, Overwrite>;
  /** Both sides of a direct message. */
  recipientIds: Snowflake[];
  tags: Tag[];
  /** A post of this forum needs a tag (channel flag 1 << 4). */
  requiresTag: boolean;
  /** Settings that are only kept and shown, under Discord's names. */
  settings: Json;
  appliedTagIds: Snowflake[];
  /** How long a member waits between two messages; 0: not at all. */
  slowmodeSeconds: number;
  /** Of a voice channel; 0: as many as like. */
  userLimit: number;
  bitrate: number;
  thread: Thread | null;
  lastMessageId: Snowflake | null;
  /** By id, in the order of their ids. */
  messages: Map<Snowflake, Message>;
  messageIds: Snowflake[];
};

export function isThread(channel: Channel): boolean {
  return channel.thread !== null;
}

/** Voice and stage channels, whose text chat asks for Connect as well. */
export function isVoice(channel: Channel): boolean {
  return channel.type === ChannelType.GuildVoice || channel.type === ChannelType.GuildStageVoice;
}

/** Whether threads or posts can stand in it. */
export function holdsThreads(channel: Channel): boolean {
  return [
    ChannelType.GuildText,
    ChannelType.GuildAnnouncement,
    ChannelType.GuildForum,
    ChannelType.GuildMedia,
  ].includes(channel.type);
}

/** Forums and media channels: their messages stand in posts. */
export function isForum({ type }: Channel): boolean {
  return type === ChannelType.GuildForum || type === ChannelType.GuildMedia;
}

/** Whether messages can stand in it directly. */
export function holdsMessages(channel: Channel): boolean {
  return channel.type !== ChannelType.GuildCategory && !isForum(channel);
}
