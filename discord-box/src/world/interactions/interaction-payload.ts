import { channelPayload } from '../channels/channel-payload.ts';
import { rolePayload } from '../guilds/guild-payload.ts';
import { memberPayload, memberWithoutUser } from '../member-payload.ts';
import { messagePayload, uploadPayload } from '../messages/message-payload.ts';
import type { Channel } from '../../model/channel.ts';
import type { Interaction } from '../../model/interaction.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { permissionsIn } from '../permissions.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { userPayload } from '../user-payload.ts';

/** What the bot is told of an interaction. */
export function interactionPayload(
  world: World,
  interaction: Interaction,
  channel: Channel,
  data: Json,
): Json {
  const guild = interaction.guildId === null ? undefined : world.guilds.get(interaction.guildId);
  const member = guild?.members.get(interaction.userId);
  const user = world.users.get(interaction.userId);
  const source =
    interaction.sourceId === null ? undefined : channel.messages.get(interaction.sourceId);
  const { application } = world;
  return {
    id: interaction.id,
    application_id: application.id,
    type: interaction.type,
    token: interaction.token,
    version: 1,
    data,
    channel_id: channel.id,
    channel: {
      ...partialChannel(world, channel),
      permissions: permissionsIn(world, channel, interaction.userId).toString(),
    },
    locale: user?.locale ?? 'en-US',
    app_permissions: permissionsIn(world, channel, application.botId).toString(),
    entitlements: [],
    entitlement_sku_ids: [],
    attachment_size_limit: world.attachmentSizeLimit,
    authorizing_integration_owners: { '0': guild?.id ?? '0' },
    context: guild === undefined ? 1 : 0,
    ...(guild === undefined || member === undefined
      ? { user: userPayload(world, interaction.userId) }
      : {
          guild_id: guild.id,
          guild_locale: guild.locale,
          guild: { id: guild.id, locale: guild.locale, features: ['COMMUNITY'] },
          member: {
            ...memberPayload(world, member),
            permissions: permissionsIn(world, channel, interaction.userId).toString(),
          },
        }),
    ...(source === undefined ? {} : { message: messagePayload(world, source) }),
  };
}

/** A channel in an interaction: with its name, also where the bot may not view it, and without its overwrites. */
function partialChannel(world: World, channel: Channel): Json {
  const { permission_overwrites: _, ...partial } = channelPayload(channel, world);
  return partial;
}

/** The people, roles, channels, messages and files that an interaction's options name. */
export function resolve(
  world: World,
  channel: Channel,
  userId: Snowflake,
  ids: Partial<Record<'users' | 'roles' | 'channels' | 'messages' | 'attachments', Snowflake[]>>,
): Json {
  const guild = channel.guildId === null ? undefined : world.guilds.get(channel.guildId);
  const permissions = (of: Channel, id: Snowflake): string =>
    permissionsIn(world, of, id).toString();
  const resolved: Json = {
    users: table(ids.users, (id) => (world.users.has(id) ? userPayload(world, id) : undefined)),
    members: table(ids.users, (id) => {
      const member = guild?.members.get(id);
      return member === undefined
        ? undefined
        : { ...memberWithoutUser(member), permissions: permissions(channel, id) };
    }),
    roles: table(ids.roles, (id) => {
      const role = guild?.roles.get(id);
      return role === undefined ? undefined : rolePayload(role);
    }),
    channels: table(ids.channels, (id) => {
      const named = world.channels.get(id);
      if (named === undefined) return undefined;
      return {
        ...partialChannel(world, named),
        permissions: permissions(named, userId),
        app_permissions: permissions(named, world.application.botId),
      };
    }),
    messages: table(ids.messages, (id) => {
      const message = channel.messages.get(id);
      return message === undefined ? undefined : messagePayload(world, message);
    }),
    attachments: table(ids.attachments, (id) => {
      const file = world.uploads.get(id);
      return file === undefined ? undefined : uploadPayload(world, file);
    }),
  };
  return Object.fromEntries(
    Object.entries(resolved).filter(([, rows]) => Object.keys(rows as Json).length > 0),
  );
}

function table(list: Snowflake[] | undefined, row: (id: Snowflake) => Json | undefined): Json {
  return Object.fromEntries(
    (list ?? []).flatMap((id) => {
      const found = row(id);
      return found === undefined ? [] : [[id, found]];
    }),
  );
}
