import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import type { Guild } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { userPayload } from '../../world/user-payload.ts';
import { needGuildPermission, reachGuild } from '../access.ts';

/** What was added to a server: here, the bot's own application alone. */
export function integrationRoutes(world: World): Hono {
  const routes = new Hono();
  routes.get('/guilds/:guild/integrations', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild);
    return context.json([ownIntegration(world, guild)]);
  });
  return routes;
}

function ownIntegration(world: World, guild: Guild) {
  const { id, name, botId } = world.application;
  return {
    type: 'discord',
    id,
    name,
    account: { id, name },
    enabled: true,
    scopes: ['applications.commands', 'bot'],
    user: userPayload(world, guild.ownerId),
    application: {
      id,
      name,
      icon: null,
      description: '',
      type: null,
      flags: 0,
      flags_new: '0',
      bot: userPayload(world, botId),
    },
  };
}
