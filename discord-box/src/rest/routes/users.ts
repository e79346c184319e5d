import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { openDirectMessages } from '../../world/channels/change-channel.ts';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import type { World } from '../../model/world.ts';
import { applicationPayload, ownUserPayload, userPayload } from '../../world/user-payload.ts';
import { removeMember } from '../../world/guilds/change-member.ts';
import { guildPermissions } from '../../world/permissions.ts';
import { reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { startsLeft } from '../../world/starts-left.ts';
import { gatewayAt } from '../../discord-hosts.ts';
import { parseForm } from '../parse-form.ts';

/** Pictures are taken and not kept. */
const zOwnChange = z.object({
  username: z.string().min(2).max(32).nullish(),
  avatar: z.string().nullish(),
  banner: z.string().nullish(),
});

/** Who the bot is, where it is, and the gateway's address. */
export function userRoutes(world: World): Hono {
  const routes = new Hono();

  const gateway = ({ req }: Context) => ({ url: gatewayAt(world.address, req.header('host')) });
  routes.get('/gateway', (context) => context.json(gateway(context)));
  routes.get('/gateway/bot', (context) => {
    const { total, remaining, resetAtMs } = startsLeft(world);
    return context.json({
      ...gateway(context),
      shards: 1,
      session_start_limit: {
        total,
        remaining,
        reset_after: Math.max(0, Math.ceil(resetAtMs - world.clock.now())),
        max_concurrency: world.identifies.concurrency,
      },
    });
  });

  routes.get('/oauth2/applications/@me', (context) => context.json(applicationPayload(world)));
  routes.get('/applications/@me', (context) => context.json(applicationPayload(world)));

  routes.get('/users/@me', (context) => context.json(ownUserPayload(world)));

  routes.patch('/users/@me', async (context) => {
    const form = parseForm(zOwnChange, (await readBody(context)).body);
    const user = world.users.get(world.application.botId);
    if (user !== undefined && form.username != null) user.username = form.username;
    world.changes.emit({ t: 'USER_UPDATE', d: ownUserPayload(world), intents: 0 });
    return context.json(ownUserPayload(world));
  });

  routes.get('/users/@me/guilds', (context) => {
    const { botId } = world.application;
    const guilds = [...world.guilds.values()].filter(({ members }) => members.has(botId));
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
    const guild = reachGuild(world, context.req.param('guild'));
    removeMember(world, guild, world.application.botId);
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
