import { MessageType } from 'discord-api-types/v10';
import type { Snowflake } from './snowflakes.ts';

export type Json = Record<string, unknown>;

export type Attachment = {
  id: Snowflake;
  filename: string;
  contentType: string;
  description: string | null;
  data: Uint8Array;
};

export type Preview = { link: string; embed: Json };

export type Message = {
  id: Snowflake;
  channelId: Snowflake;
  guildId: Snowflake | null;
  authorId: Snowflake;
  type: MessageType;
  content: string;
  /** The author's own embeds. */
  embeds: Json[];
  /** What Discord found at its links. Clients receive them as embeds, after the author's. */
  previews: Preview[];
  components: Json[];
  attachments: Attachment[];
  stickerIds: Snowflake[];
  /** It is read out to who hears. */
  tts: boolean;
  flags: number;
  editedAtMs: number | null;
  replyTo: Snowflake | null;
  threadId: Snowflake | null;
  /** What it forwards: another message as it stood then. */
  forwarded: Forwarded | null;
  /** Where a message comes from that another channel published, or the channel that is followed from now on. */
  origin: Origin | null;
  poll: Poll | null;
  pinnedAtMs: number | null;
  nonce: string | number | null;
  /** The webhook that sent it, under what name. */
  webhook: { id: Snowflake; name: string } | null;
  /** What Discord calls interaction_metadata, for an answer to an interaction. */
  interaction: Json | null;
  /** The command that the message answers. */
  command: string | null;
  /** The one member who sees an ephemeral message; null for everybody. */
  onlyFor: Snowflake | null;
  pings: Pings;
  reactions: Map<string, Reaction>;
};

/** A message as it stood when it was forwarded: Discord's `message_snapshots`. */
export type Forwarded = {
  messageId: Snowflake;
  channelId: Snowflake;
  guildId: Snowflake | null;
  snapshot: Pick<
    Message,
    'type' | 'content' | 'embeds' | 'previews' | 'components' | 'attachments' | 'flags' | 'pings'
  > & { sentAtMs: number; editedAtMs: number | null };
};

/** A message of an announcement channel; without one, the channel itself. */
export type Origin = {
  messageId: Snowflake | null;
  channelId: Snowflake;
  guildId: Snowflake | null;
};

export type Poll = {
  question: string;
  answers: { id: number; text: string; emoji: Json | null; voterIds: Set<Snowflake> }[];
  endsAtMs: number;
  /** Its votes are counted for good. */
  isOver: boolean;
  manyAnswers: boolean;
};

export type Emoji = { id: Snowflake | null; name: string };

/** Who reacted with one emoji, normally and with a super reaction: two lists, each in order of arrival. */
export type Reaction = { emoji: Emoji; normal: Set<Snowflake>; burst: Set<Snowflake> };

/** Whom a message really notified. */
export type Pings = { userIds: Snowflake[]; roleIds: Snowflake[]; everyone: boolean };
