import { Hono } from 'hono';
import { z } from 'zod';
import { openDirectMessages } from '../../channels/change-channel.ts';
import { channelPayload } from '../../channels/channel-payload.ts';
import { removeMember } from '../../guilds/change-member.ts';
import type { World } from '../../model/world.ts';
import { guildPermissions } from '../../world/permissions.ts';
import { compareIds } from '../../world/snowflakes.ts';
import { applicationPayload, ownUserPayload, userPayload } from '../../world/user-payload.ts';
import { reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

/** Who the bot is, where it is, and the gateway's address. */
export function userRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  const gateway = () => ({ url: world.address.replace(/^http/, 'ws') });
  routes.get('/gateway', (context) => context.json(gateway()));
  routes.get('/gateway/bot', (context) =>
    context.json({
      ...gateway(),
      shards: 1,
      session_start_limit: {
        total: 1000,
        remaining: world.identifies.left?.remaining ?? 1000,
        reset_after: world.identifies.left?.resetAfterMs ?? 86_400_000,
        max_concurrency: world.identifies.concurrency,
      },
    }),
  );

  for (const path of ['/applications/@me', '/oauth2/applications/@me']) {
    routes.get(path, (context) => context.json(applicationPayload(world)));
  }

  routes.get('/users/@me', (context) => context.json(ownUserPayload(world)));

  routes.get('/users/@me/guilds', (context) => {
    const after = context.req.query('after') ?? '0';
    const guilds = [...world.guilds.values()]
      .filter((guild) => guild.members.has(botId) && compareIds(guild.id, after) > 0)
      .sort((a, b) => compareIds(a.id, b.id))
      .slice(0, Number(context.req.query('limit') ?? 200));
    return context.json(
      guilds.map((guild) => ({
        id: guild.id,
        name: guild.name,
        icon: null,
        banner: null,
        owner: guild.ownerId === botId,
        permissions: guildPermissions(world, guild, botId).toString(),
        features: ['COMMUNITY'],
      })),
    );
  });

  routes.delete('/users/@me/guilds/:guild', (context) => {
    removeMember(world, reachGuild(world, context.req.param('guild')), botId);
    return context.body(null, 204);
  });

  routes.post('/users/@me/channels', async (context) => {
    const { body } = await readBody(context);
    const { recipient_id: userId } = parseForm(z.object({ recipient_id: z.string() }), body);
    const user = world.users.get(userId);
    if (user === undefined) throw refuse('unknownUser');
    if (user.bot) throw refuse('cannotMessageUser');
    return context.json(channelPayload(openDirectMessages(world, userId), world));
  });

  routes.get('/users/:user', (context) => {
    const id = context.req.param('user');
    if (!world.users.has(id)) throw refuse('unknownUser');
    return context.json(userPayload(world, id));
  });

  return routes;
}
