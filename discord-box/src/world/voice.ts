import { randomBytes } from 'node:crypto';
import { ChannelType, GatewayIntentBits, PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { Channel } from '../model/channel.ts';
import type { Guild, VoiceState } from '../model/guild.ts';
import type { Json } from '../model/message.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import type { World } from '../model/world.ts';
import { memberPayload } from './member-payload.ts';
import { may } from './permissions.ts';

/** Who is in voice channels. Nothing is heard there: this Discord has no voice servers. */

/** A member who has left is in no channel. */
export function voiceStatePayload(world: World, guild: Guild, userId: Snowflake): Json {
  const state = guild.voiceStates.get(userId);
  const member = guild.members.get(userId);
  const asked = state?.askedToSpeakAtMs ?? null;
  return {
    guild_id: guild.id,
    channel_id: state?.channelId ?? null,
    user_id: userId,
    ...(member === undefined ? {} : { member: memberPayload(world, member) }),
    session_id: state?.sessionId ?? '',
    deaf: member?.deafened ?? false,
    mute: member?.muted ?? false,
    self_deaf: state?.selfDeafened ?? false,
    self_mute: state?.selfMuted ?? false,
    self_stream: false,
    self_video: state?.showsVideo ?? false,
    suppress: state?.suppressed ?? false,
    request_to_speak_timestamp: asked === null ? null : new Date(asked).toISOString(),
  };
}

/** Tells of a member's voice anew, as after it was muted by a moderator. */
export function tellVoice(world: World, guild: Guild, userId: Snowflake, more: Json = {}): void {
  world.changes.emit({
    t: 'VOICE_STATE_UPDATE',
    d: { ...voiceStatePayload(world, guild, userId), ...more },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildVoiceStates,
  });
}

/** What a member sets of itself. */
export type OwnVoice = Partial<Pick<VoiceState, 'selfMuted' | 'selfDeafened' | 'showsVideo'>>;

/** A member joins a channel, moves to it, or changes what others hear of it there. */
export function enterVoice(
  world: World,
  guild: Guild,
  userId: Snowflake,
  channel: Channel,
  own: OwnVoice = {},
): void {
  const before = guild.voiceStates.get(userId);
  const stays = before?.channelId === channel.id;
  const isStage = channel.type === ChannelType.GuildStageVoice;
  guild.voiceStates.set(userId, {
    sessionId: before?.sessionId ?? randomBytes(16).toString('hex'),
    selfMuted: before?.selfMuted ?? false,
    selfDeafened: before?.selfDeafened ?? false,
    showsVideo: stays && before.showsVideo,
    suppressed: stays ? before.suppressed : isStage || !may(world, channel, userId, P.Speak),
    askedToSpeakAtMs: stays ? before.askedToSpeakAtMs : null,
    channelId: channel.id,
    ...own,
  });
  tellVoice(world, guild, userId);
}

/** Returns whether the member was in a voice channel. */
export function leaveVoice(world: World, guild: Guild, userId: Snowflake): boolean {
  const state = guild.voiceStates.get(userId);
  if (state === undefined) return false;
  guild.voiceStates.delete(userId);
  tellVoice(world, guild, userId, { session_id: state.sessionId });
  return true;
}

/** On a stage: who may speak, and who asks to. */
export function changeVoice(
  world: World,
  guild: Guild,
  userId: Snowflake,
  change: Partial<Pick<VoiceState, 'suppressed' | 'askedToSpeakAtMs'>>,
): void {
  const state = guild.voiceStates.get(userId);
  if (state === undefined) return;
  Object.assign(state, change);
  tellVoice(world, guild, userId);
}

/** Whether a channel takes one more member. */
export function isFull(guild: Guild, { id, userLimit }: Channel): boolean {
  const there = [...guild.voiceStates.values()].filter(({ channelId }) => channelId === id);
  return userLimit > 0 && there.length >= userLimit;
}
