import type {
  AuditLogEvent,
  AutoModerationActionType,
  AutoModerationRuleTriggerType,
  GuildScheduledEventEntityType,
  GuildScheduledEventStatus,
  StickerFormatType,
} from 'discord-api-types/v10';
import type { Json } from './message.ts';
import type { Snowflake } from './snowflakes.ts';

export type Role = {
  id: Snowflake;
  name: string;
  permissions: bigint;
  color: number;
  position: number;
  managed: boolean;
  mentionable: boolean;
  /** Its members are listed apart. */
  hoist: boolean;
};

export type GuildEmoji = {
  id: Snowflake;
  name: string;
  animated: boolean;
  /** Only members with one of these roles have it; default: everybody. */
  roleIds?: readonly Snowflake[];
  /** It is beyond what the server may have since it lost boosts. */
  isUnavailable?: boolean;
  /** It is of another service's subscribers, and its roles are not told. */
  managed?: boolean;
};

export type Member = {
  userId: Snowflake;
  nick: string | null;
  roleIds: Set<Snowflake>;
  joinedAtMs: number;
  timedOutUntilMs: number | null;
  /** The member has not passed the server's screening yet. */
  pending: boolean;
  /** Automatic moderation has blocked the member's name, or the tag of a server that they show; else false. */
  isQuarantined: 'name' | 'tag' | false;
  /** What moderators decided of its voice: nobody hears it, or it hears nobody. */
  muted: boolean;
  deafened: boolean;
};

/** A member who is in a voice or stage channel. */
export type VoiceState = {
  channelId: Snowflake;
  sessionId: string;
  selfMuted: boolean;
  selfDeafened: boolean;
  showsVideo: boolean;
  /** It may not speak: it lacks the permission, or it is in the audience of a stage. */
  suppressed: boolean;
  /** When it asked to speak on a stage. */
  askedToSpeakAtMs: number | null;
};

/** A stage channel in which something goes on. */
export type Stage = {
  id: Snowflake;
  channelId: Snowflake;
  topic: string;
  eventId: Snowflake | null;
};

export type ScheduledEvent = {
  id: Snowflake;
  /** Where it takes place; null where that is no channel. */
  channelId: Snowflake | null;
  location: string | null;
  makerId: Snowflake;
  name: string;
  description: string | null;
  startsAtMs: number;
  endsAtMs: number | null;
  status: GuildScheduledEventStatus;
  kind: GuildScheduledEventEntityType;
  /** How it comes again, under Discord's names. */
  recurrence: Json | null;
  interestedIds: Set<Snowflake>;
};

export type Sticker = {
  id: Snowflake;
  name: string;
  description: string | null;
  tags: string;
  format: StickerFormatType;
  makerId: Snowflake;
};

/** A sound of the soundboard. */
export type Sound = {
  id: Snowflake;
  name: string;
  /** From 0 to 1. */
  volume: number;
  emojiId: Snowflake | null;
  emojiName: string | null;
  makerId: Snowflake;
};

/** What newcomers are asked, under Discord's names. */
export type Onboarding = {
  prompts: Json[];
  default_channel_ids: Snowflake[];
  enabled: boolean;
  mode: number;
};

/** What newcomers see first, under Discord's names. */
export type WelcomeScreen = {
  enabled: boolean;
  description: string | null;
  welcome_channels: Json[];
};

/** Discord's setting for a command: a role (1; the guild's id is everyone), a member (2), a channel (3). */
export type CommandPermission = { id: Snowflake; type: 1 | 2 | 3; permission: boolean };

/** A rule of automatic moderation, under Discord's names. */
export type AutoModRule = {
  id: Snowflake;
  name: string;
  creator_id: Snowflake;
  event_type: number;
  trigger_type: AutoModerationRuleTriggerType;
  trigger_metadata: Json;
  actions: { type: AutoModerationActionType; metadata: Json }[];
  enabled: boolean;
  exempt_roles: Snowflake[];
  exempt_channels: Snowflake[];
};

export type AuditEntry = {
  id: Snowflake;
  action: AuditLogEvent;
  byId: Snowflake;
  /** A user, role, channel or message; an invite by its code. */
  targetId: string | null;
  reason: string | null;
  /** More of some actions, under Discord's names. */
  options: Json | null;
  changes: Json[];
};

export type Guild = {
  id: Snowflake;
  name: string;
  ownerId: Snowflake;
  locale: string;
  roles: Map<Snowflake, Role>;
  members: Map<Snowflake, Member>;
  /** Why each banned user was banned. */
  bans: Map<Snowflake, string | null>;
  /** Who did what, oldest first. */
  auditLog: AuditEntry[];
  /** An outage: the guild is there, but nobody can reach it. */
  unavailable: boolean;
  /** It demands two factors of those who moderate, also of a bot's owner. */
  demandsTwoFactors: boolean;
  /** Where Discord writes its own notices. */
  systemChannelId?: Snowflake | null;
  /** Where Discord tells those who run the community; null: nowhere. */
  publicUpdatesChannelId?: Snowflake | null;
  /** Its own emoji, by their id. */
  emojis: Map<Snowflake, GuildEmoji>;
  stickers: Map<Snowflake, Sticker>;
  sounds: Map<Snowflake, Sound>;
  /** What websites may show of the guild, and where its invite leads. */
  widget: { enabled: boolean; channelId: Snowflake | null };
  onboarding: Onboarding;
  welcomeScreen: WelcomeScreen;
  /** Who is in a voice or stage channel, by the member's id. */
  voiceStates: Map<Snowflake, VoiceState>;
  /** By the channel's id. */
  stages: Map<Snowflake, Stage>;
  events: Map<Snowflake, ScheduledEvent>;
  /**
   * Its automatic moderation holds back messages with one of these: whole words or phrases, whatever
   * their case. A `*` before or after stands for the rest of a word.
   */
  blockedWords: string[];
  /** What the bot has set of automatic moderation, by id. */
  rules: Map<Snowflake, AutoModRule>;
  /** What its admins allow of the bot's commands, by the command's id, or the application's for all. */
  commandPermissions?: Map<Snowflake, CommandPermission[]>;
};
