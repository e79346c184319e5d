import { channelPayload, gatewayChannel } from '../channels/channel-payload.ts';
import { isThread } from '../../model/channel.ts';
import type { Guild, GuildEmoji, Role } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { eventPayload, isUpcoming } from './scheduled-events.ts';
import { soundPayload } from './sounds.ts';
import { stagePayload } from './stages.ts';
import { stickerPayload } from './stickers.ts';
import { voiceStatePayload } from '../voice.ts';
import { mayView } from '../permissions.ts';
import { memberPayload } from '../member-payload.ts';

export function rolePayload(role: Role): Record<string, unknown> {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    position: role.position,
    hoist: role.hoist,
    managed: role.managed,
    mentionable: role.mentionable,
    icon: null,
    unicode_emoji: null,
    flags: 0,
  };
}

export function emojiPayload(emoji: GuildEmoji): Record<string, unknown> {
  const { id, name, animated, roleIds = [], managed = false, isUnavailable = false } = emoji;
  const more = { roles: [...roleIds], require_colons: true, managed, available: !isUnavailable };
  return { id, name, animated, ...more };
}

export function guildPayload(guild: Guild): Record<string, unknown> {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    owner_id: guild.ownerId,
    afk_timeout: 300,
    afk_channel_id: null,
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    roles: [...guild.roles.values()].map(rolePayload),
    emojis: [...guild.emojis.values()].map(emojiPayload),
    stickers: [...guild.stickers.values()].map((sticker) => stickerPayload(guild, sticker)),
    features: ['COMMUNITY'],
    mfa_level: guild.demandsTwoFactors ? 1 : 0,
    system_channel_id: guild.systemChannelId ?? null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: guild.publicUpdatesChannelId ?? null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: guild.locale,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    vanity_url_code: null,
    description: null,
    banner: null,
    splash: null,
    discovery_splash: null,
    application_id: null,
    widget_enabled: guild.widget.enabled,
    widget_channel_id: guild.widget.channelId,
    home_header: null,
    region: 'deprecated',
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    safety_alerts_channel_id: null,
    nsfw: false,
    incidents_data: null,
  };
}

/** Discord sends all channels, and of the members only the bot itself and who is in a voice channel. */
export function guildCreatePayload(world: World, guild: Guild): Record<string, unknown> {
  const bot = guild.members.get(world.application.botId);
  const channels = [...world.channels.values()].filter((channel) => channel.guildId === guild.id);
  const threads = channels.filter(
    (channel) =>
      channel.thread?.archived === false && mayView(world, channel, world.application.botId),
  );
  return {
    ...guildPayload(guild),
    joined_at: new Date(bot?.joinedAtMs ?? world.clock.now()).toISOString(),
    large: guild.members.size > 50,
    // `unavailable` is optional and left out, as a client must bear.
    member_count: guild.members.size,
    members: [...guild.members.values()]
      .filter((one) => one === bot || guild.voiceStates.has(one.userId))
      .map((one) => memberPayload(world, one)),
    channels: channels
      .filter((channel) => !isThread(channel))
      .map((channel) => gatewayChannel(world, channel)),
    threads: threads.map((thread) => channelPayload(thread)),
    presences: [],
    voice_states: [...guild.voiceStates.keys()].map((id) => {
      const { guild_id: _, member: __, ...state } = voiceStatePayload(world, guild, id);
      return state;
    }),
    stage_instances: [...guild.stages.values()].map((stage) => stagePayload(guild, stage)),
    guild_scheduled_events: [...guild.events.values()]
      .filter(isUpcoming)
      .map((event) => eventPayload(guild, event)),
    soundboard_sounds: [...guild.sounds.values()].map((sound) => soundPayload(guild, sound)),
  };
}
