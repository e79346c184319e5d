import type {
  GatewayApplicationCommandPermissionsUpdateDispatchData,
  GatewayAutoModerationActionExecutionDispatchData,
  GatewayChannelPinsUpdateDispatchData,
  GatewayGuildMembersChunkDispatchData,
  GatewayGuildScheduledEventUserAddDispatchData,
  GatewayMessageDeleteBulkDispatchData,
  GatewayMessageDeleteDispatchData,
  GatewayMessagePollVoteDispatchData,
  GatewayMessageReactionAddDispatchData,
  GatewayMessageReactionRemoveAllDispatchData,
  GatewayMessageReactionRemoveDispatchData,
  GatewayMessageReactionRemoveEmojiDispatchData,
  GatewayReadyDispatchData,
  GatewayThreadListSyncDispatchData,
  GatewayThreadMembersUpdateDispatchData,
  GatewayVoiceServerUpdateDispatchData,
} from 'discord-api-types/v10';
import {
  array,
  boolean,
  extend,
  int,
  literal,
  nullable,
  number,
  object,
  omit,
  optional,
  record,
  string,
  tuple,
  union,
  unknown,
  type ZodMiniObject,
} from 'zod/mini';
import type { $ZodShape, $ZodType } from 'zod/v4/core';
import type { Schemas } from './schemas.ts';

/**
 * An object with exactly the fields that discord-api-types gives an event.
 * The specification has no events; its objects are what they are made of.
 */
function fields<Data>() {
  return <Shape extends Record<keyof Data, $ZodType>>(
    shape: Shape & Record<Exclude<keyof Shape, keyof Data>, never>,
  ): $ZodType => object(shape as $ZodShape);
}

/** What the gateway tells, by the event's name. */
export function eventContracts(s: Schemas): Record<string, $ZodType> {
  const get = (name: string): ZodMiniObject => {
    const schema = s[`${name}Schema`];
    if (schema === undefined) throw new Error(`The specification has no ${name}.`);
    return schema as ZodMiniObject;
  };
  const id = get('SnowflakeType');
  const user = get('UserResponse');
  const role = get('GuildRoleResponse');
  const member = get('GuildMemberResponse');
  const memberWithoutUser = omit(member, { user: true });
  const message = extend(get('MessageResponse'), {
    guild_id: optional(id),
    member: optional(memberWithoutUser),
  });
  const channel = get('GuildChannelResponse');
  const thread = get('ThreadResponse');
  const inGuild = { guild_id: id };
  const emoji = object({
    id: nullable(id),
    name: nullable(string()),
    animated: optional(boolean()),
  });
  const reaction = {
    user_id: id,
    channel_id: id,
    message_id: id,
    guild_id: optional(id),
    emoji,
    burst: boolean(),
    type: literal([0, 1]),
  };
  const inMessage = { channel_id: id, message_id: id, guild_id: optional(id) };
  const deleted = { channel_id: id, guild_id: optional(id) };
  const unavailable = object({ id, unavailable: optional(boolean()) });
  const roleChange = object({ ...inGuild, role });

  const rule = union(
    [
      'KeywordRuleResponse',
      'DefaultKeywordRuleResponse',
      'MentionSpamRuleResponse',
      'MLSpamRuleResponse',
    ].map(get) as [ZodMiniObject, ...ZodMiniObject[]],
  );
  const stage = get('StageInstanceResponse');
  const voiceState = extend(get('VoiceStateResponse'), { member: optional(member) });
  const event = union(
    [
      'StageScheduledEventResponse',
      'VoiceScheduledEventResponse',
      'ExternalScheduledEventResponse',
    ].map(get) as [ZodMiniObject, ...ZodMiniObject[]],
  );
  const interest = fields<GatewayGuildScheduledEventUserAddDispatchData>()({
    guild_scheduled_event_id: id,
    user_id: id,
    guild_id: id,
  });
  const threadMember = get('ThreadMemberResponse');
  const pollVote = fields<GatewayMessagePollVoteDispatchData>()({
    user_id: id,
    channel_id: id,
    message_id: id,
    guild_id: optional(id),
    answer_id: int(),
  });

  const ready = fields<GatewayReadyDispatchData>()({
    v: literal(10),
    user: get('UserPIIResponse'),
    guilds: array(unavailable),
    session_id: string(),
    resume_gateway_url: string(),
    shard: optional(tuple([int(), int()])),
    application: object({ id, flags: int() }),
  }) as ZodMiniObject;
  return {
    READY: extend(ready, {
      user_settings: object({}),
      private_channels: array(unknown()),
      relationships: array(unknown()),
      presences: array(unknown()),
    }),
    RESUMED: object({}),
    GUILD_CREATE: extend(get('GuildResponse'), {
      joined_at: string(),
      large: boolean(),
      unavailable: optional(boolean()),
      member_count: int(),
      members: array(member),
      channels: array(channel),
      threads: array(thread),
      presences: array(unknown()),
      voice_states: array(unknown()),
      stage_instances: array(unknown()),
      guild_scheduled_events: array(unknown()),
      soundboard_sounds: array(unknown()),
    }),
    GUILD_UPDATE: get('GuildResponse'),
    USER_UPDATE: get('UserPIIResponse'),
    GUILD_STICKERS_UPDATE: object({ ...inGuild, stickers: array(get('GuildStickerResponse')) }),
    GUILD_SOUNDBOARD_SOUND_CREATE: get('SoundboardSoundResponse'),
    GUILD_SOUNDBOARD_SOUND_UPDATE: get('SoundboardSoundResponse'),
    GUILD_SOUNDBOARD_SOUND_DELETE: object({ ...inGuild, sound_id: id }),
    SOUNDBOARD_SOUNDS: object({
      ...inGuild,
      soundboard_sounds: array(get('SoundboardSoundResponse')),
    }),
    RATE_LIMITED: object({
      opcode: int(),
      retry_after: number(),
      meta: object({ ...inGuild, nonce: optional(string()) }),
    }),
    VOICE_STATE_UPDATE: voiceState,
    VOICE_SERVER_UPDATE: fields<GatewayVoiceServerUpdateDispatchData>()({
      token: string(),
      guild_id: id,
      endpoint: nullable(string()),
    }),
    STAGE_INSTANCE_CREATE: stage,
    STAGE_INSTANCE_UPDATE: stage,
    STAGE_INSTANCE_DELETE: stage,
    GUILD_SCHEDULED_EVENT_CREATE: event,
    GUILD_SCHEDULED_EVENT_UPDATE: event,
    GUILD_SCHEDULED_EVENT_DELETE: event,
    GUILD_SCHEDULED_EVENT_USER_ADD: interest,
    GUILD_SCHEDULED_EVENT_USER_REMOVE: interest,
    GUILD_EMOJIS_UPDATE: object({ ...inGuild, emojis: array(get('EmojiResponse')) }),
    GUILD_DELETE: unavailable,
    GUILD_ROLE_CREATE: roleChange,
    GUILD_ROLE_UPDATE: roleChange,
    GUILD_ROLE_DELETE: object({ ...inGuild, role_id: id }),
    GUILD_BAN_ADD: object({ ...inGuild, user }),
    GUILD_BAN_REMOVE: object({ ...inGuild, user }),
    GUILD_MEMBER_ADD: extend(member, inGuild),
    GUILD_MEMBER_UPDATE: extend(member, inGuild),
    GUILD_MEMBER_REMOVE: object({ ...inGuild, user }),
    GUILD_MEMBERS_CHUNK: fields<GatewayGuildMembersChunkDispatchData>()({
      guild_id: id,
      members: array(member),
      chunk_index: int(),
      chunk_count: int(),
      not_found: optional(array(unknown())),
      presences: optional(array(unknown())),
      nonce: optional(string()),
    }),
    CHANNEL_CREATE: channel,
    CHANNEL_UPDATE: channel,
    CHANNEL_DELETE: channel,
    THREAD_CREATE: extend(thread, { newly_created: optional(boolean()) }),
    THREAD_UPDATE: thread,
    THREAD_DELETE: object({ id, guild_id: id, parent_id: id, type: int() }),
    THREAD_LIST_SYNC: fields<GatewayThreadListSyncDispatchData>()({
      guild_id: id,
      channel_ids: optional(array(id)),
      threads: array(thread),
      members: array(get('ThreadMemberResponse')),
    }),
    THREAD_MEMBERS_UPDATE: fields<GatewayThreadMembersUpdateDispatchData>()({
      id,
      guild_id: id,
      member_count: int(),
      added_members: optional(array(threadMember)),
      removed_member_ids: optional(array(id)),
    }),
    CHANNEL_PINS_UPDATE: fields<GatewayChannelPinsUpdateDispatchData>()({
      channel_id: id,
      guild_id: optional(id),
      last_pin_timestamp: optional(nullable(string())),
    }),
    WEBHOOKS_UPDATE: object({ guild_id: id, channel_id: id }),
    INVITE_CREATE: object({
      channel_id: id,
      code: string(),
      created_at: string(),
      guild_id: optional(id),
      inviter: optional(user),
      max_age: int(),
      max_uses: int(),
      temporary: boolean(),
      uses: int(),
      type: int(),
      expires_at: nullable(string()),
    }),
    INVITE_DELETE: object({ channel_id: id, guild_id: optional(id), code: string() }),
    GUILD_AUDIT_LOG_ENTRY_CREATE: extend(get('AuditLogEntryResponse'), inGuild),
    AUTO_MODERATION_RULE_CREATE: rule,
    AUTO_MODERATION_RULE_UPDATE: rule,
    AUTO_MODERATION_RULE_DELETE: rule,
    AUTO_MODERATION_ACTION_EXECUTION: fields<GatewayAutoModerationActionExecutionDispatchData>()({
      guild_id: id,
      action: object({ type: int(), metadata: optional(unknown()) }),
      rule_id: id,
      rule_trigger_type: int(),
      user_id: id,
      channel_id: optional(id),
      message_id: optional(id),
      alert_system_message_id: optional(id),
      content: string(),
      matched_keyword: nullable(string()),
      matched_content: nullable(string()),
    }),
    MESSAGE_POLL_VOTE_ADD: pollVote,
    MESSAGE_POLL_VOTE_REMOVE: pollVote,
    MESSAGE_CREATE: message,
    MESSAGE_UPDATE: message,
    MESSAGE_DELETE: fields<GatewayMessageDeleteDispatchData>()({ id, ...deleted }),
    MESSAGE_DELETE_BULK: fields<GatewayMessageDeleteBulkDispatchData>()({
      ids: array(id),
      ...deleted,
    }),
    MESSAGE_REACTION_ADD: fields<GatewayMessageReactionAddDispatchData>()({
      ...reaction,
      message_author_id: optional(id),
      member: optional(member),
      burst_colors: optional(array(string())),
    }),
    MESSAGE_REACTION_REMOVE: fields<GatewayMessageReactionRemoveDispatchData>()(reaction),
    MESSAGE_REACTION_REMOVE_ALL: fields<GatewayMessageReactionRemoveAllDispatchData>()(inMessage),
    MESSAGE_REACTION_REMOVE_EMOJI: fields<GatewayMessageReactionRemoveEmojiDispatchData>()({
      ...inMessage,
      emoji,
    }),
    APPLICATION_COMMAND_PERMISSIONS_UPDATE:
      fields<GatewayApplicationCommandPermissionsUpdateDispatchData>()({
        id,
        application_id: id,
        guild_id: id,
        permissions: array(get('ApplicationCommandPermission')),
      }),
    INTERACTION_CREATE: interaction(get, message),
  };
}

function table(schema: $ZodType) {
  return optional(record(string(), schema));
}

function interaction(get: (name: string) => ZodMiniObject, message: $ZodType): $ZodType {
  const id = get('SnowflakeType');
  const user = get('UserResponse');
  const withPermissions = { permissions: string() };
  const member = extend(get('GuildMemberResponse'), withPermissions);
  const channelWith = (more: Record<string, $ZodType>) =>
    union([
      extend(get('GuildChannelResponse'), more),
      extend(get('ThreadResponse'), more),
      extend(get('PrivateChannelResponse'), more),
    ]);
  const channel = channelWith(withPermissions);
  const namedChannel = channelWith({ ...withPermissions, app_permissions: string() });
  const resolved = object({
    users: table(user),
    members: table(extend(omit(get('GuildMemberResponse'), { user: true }), withPermissions)),
    roles: table(get('GuildRoleResponse')),
    channels: table(namedChannel),
    messages: table(message),
    attachments: table(get('AttachmentResponse')),
  });
  return object({
    id,
    application_id: id,
    type: int(),
    token: string(),
    version: literal(1),
    data: object({
      // Of a command; of a component, its number in the message.
      id: optional(union([id, int()])),
      name: optional(string()),
      type: optional(int()),
      guild_id: optional(id),
      target_id: optional(id),
      options: optional(array(unknown())),
      resolved: optional(resolved),
      // Of a component and of a form.
      custom_id: optional(string()),
      component_type: optional(int()),
      values: optional(array(string())),
      components: optional(array(unknown())),
    }),
    channel_id: id,
    channel,
    guild_id: optional(id),
    guild_locale: optional(string()),
    guild: optional(object({ id, locale: string(), features: array(string()) })),
    member: optional(member),
    user: optional(user),
    locale: string(),
    app_permissions: string(),
    entitlements: array(unknown()),
    entitlement_sku_ids: optional(array(id)),
    attachment_size_limit: int(),
    authorizing_integration_owners: record(string(), string()),
    context: literal([0, 1, 2]),
    message: optional(message),
  });
}
