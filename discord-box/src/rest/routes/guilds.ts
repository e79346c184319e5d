import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { createChannel } from '../../channels/change-channel.ts';
import { channelPayload } from '../../channels/channel-payload.ts';
import { zChannelForm, toOverwrites } from '../../forms/channel-form.ts';
import { guildPayload } from '../../guilds/guild-payload.ts';
import { memberPayload } from '../../world/member-payload.ts';
import { isThread } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { guildPermissions, mayView } from '../../world/permissions.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

export function guildRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  routes.get('/guilds/:guild', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const counts = { approximate_member_count: guild.members.size, approximate_presence_count: 1 };
    const withCounts = context.req.query('with_counts') === 'true';
    return context.json({ ...guildPayload(guild), ...(withCounts ? counts : {}) });
  });

  routes.get('/guilds/:guild/channels', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const channels = [...world.channels.values()].filter(
      (channel) => channel.guildId === guild.id && !isThread(channel),
    );
    return context.json(channels.map((channel) => channelPayload(channel)));
  });

  routes.post('/guilds/:guild/channels', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    if ((guildPermissions(world, guild, botId) & P.ManageChannels) === 0n) {
      throw refuse('missingPermissions');
    }
    const form = parseForm(zChannelForm, (await readBody(context)).body);
    const channel = createChannel(world, {
      type: form.type,
      guildId: guild.id,
      name: form.name,
      topic: form.topic ?? null,
      parentId: form.parent_id ?? null,
      ageRestricted: form.nsfw ?? false,
      overwrites: toOverwrites(form.permission_overwrites ?? []),
    });
    return context.json(channelPayload(channel), 201);
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

  routes.get('/guilds/:guild/members/:user', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const member = guild.members.get(context.req.param('user'));
    if (member === undefined) throw refuse('unknownMember');
    return context.json(memberPayload(world, member));
  });

  return routes;
}
