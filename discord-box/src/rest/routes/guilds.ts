import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import { changeChannel, createChannel } from '../../world/channels/change-channel.ts';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import { newTags } from '../../world/channels/new-tags.ts';
import {
  toOverwrites,
  toSettings,
  zChannelForm,
  zChannelPositions,
} from '../../forms/channel-form.ts';
import { changeGuild } from '../../world/guilds/change-guild.ts';
import { guildPayload } from '../../world/guilds/guild-payload.ts';
import { isThread } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { mayView } from '../../world/permissions.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';

/** What is kept of a guild's settings; the others say so. */
const zGuildChange = z.object({
  name: z.string().min(2).max(100).nullish(),
  preferred_locale: z.string().nullish(),
  system_channel_id: z.string().nullish(),
});
export function guildRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  routes.get('/guilds/:guild', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const counts = { approximate_member_count: guild.members.size, approximate_presence_count: 1 };
    const withCounts = context.req.query('with_counts') === 'true';
    return context.json({ ...guildPayload(guild), ...(withCounts ? counts : {}) });
  });

  routes.patch('/guilds/:guild', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild);
    const { body } = await readBody(context);
    const unknown = Object.keys(body).find((key) => !(key in zGuildChange.shape));
    if (unknown !== undefined) {
      const message = `This Discord in a box keeps no ${unknown} of a server.`;
      throw formError([{ path: [unknown], code: 'BOX_UNKNOWN_FIELD', message }]);
    }
    const form = parseForm(zGuildChange, body);
    changeGuild(world, guild, {
      ...(form.name == null ? {} : { name: form.name }),
      ...(form.preferred_locale == null ? {} : { locale: form.preferred_locale }),
      ...(form.system_channel_id === undefined ? {} : { systemChannelId: form.system_channel_id }),
    });
    return context.json(guildPayload(guild));
  });

  /** Since November 2026 without those that the bot may not view. */
  routes.get('/guilds/:guild/channels', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const channels = [...world.channels.values()]
      .filter((channel) => channel.guildId === guild.id && !isThread(channel))
      .filter((channel) => mayView(world, channel, botId));
    return context.json(channels.map((channel) => channelPayload(channel)));
  });

  routes.post('/guilds/:guild/channels', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageChannels);
    const form = parseForm(zChannelForm, (await readBody(context)).body);
    const channel = createChannel(world, {
      type: form.type,
      guildId: guild.id,
      name: form.name,
      topic: form.topic ?? null,
      ...(form.position == null ? {} : { position: form.position }),
      slowmodeSeconds: form.rate_limit_per_user ?? 0,
      userLimit: form.user_limit ?? 0,
      bitrate: form.bitrate ?? 64_000,
      tags: newTags(world, form.available_tags ?? []),
      ...toSettings(form),
      parentId: form.parent_id ?? null,
      ageRestricted: form.nsfw ?? false,
      overwrites: toOverwrites(form.permission_overwrites ?? []),
    });
    return context.json(channelPayload(channel), 201);
  });

  routes.patch('/guilds/:guild/channels', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageChannels);
    const changes = parseForm(zChannelPositions, (await readBody(context)).body);
    const moved = changes.map(({ id }) => world.channels.get(id));
    if (moved.some((one) => one?.guildId !== guild.id)) throw refuse('unknownChannel');
    for (const { id, position, parent_id: parentId } of changes) {
      changeChannel(world, world.channels.get(id)!, {
        ...(position == null ? {} : { position }),
        ...(parentId === undefined ? {} : { parentId }),
      });
    }
    return context.body(null, 204);
  });

  routes.get('/guilds/:guild/threads/active', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const threads = [...world.channels.values()]
      .filter((channel) => channel.guildId === guild.id && channel.thread?.archived === false)
      .filter((thread) => mayView(world, thread, botId))
      .sort((a, b) => compareIds(b.id, a.id));
    return context.json({
      threads: threads.map((thread) => channelPayload(thread)),
      members: [],
      has_more: false,
    });
  });

  return routes;
}
