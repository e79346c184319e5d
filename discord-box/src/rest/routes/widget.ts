import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import type { World } from '../../model/world.ts';
import { changeGuild } from '../../world/guilds/change-guild.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zChange = z.object({
  enabled: z.boolean().nullish(),
  channel_id: z.string().nullish(),
});

/** What websites show of a server. Nobody is online here, and it has no invite of its own. */
export function widgetRoutes(world: World): Hono {
  const routes = new Hono();

  routes.get('/guilds/:guild/widget', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild);
    const { enabled, channelId } = guild.widget;
    return context.json({ enabled, channel_id: channelId });
  });
  routes.patch('/guilds/:guild/widget', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild);
    const form = parseForm(zChange, (await readBody(context)).body);
    const { widget } = guild;
    if (form.channel_id != null && world.channels.get(form.channel_id)?.guildId !== guild.id) {
      throw refuse('unknownChannel');
    }
    widget.enabled = form.enabled ?? widget.enabled;
    if (form.channel_id !== undefined) widget.channelId = form.channel_id;
    changeGuild(world, guild, {});
    return context.json({ enabled: widget.enabled, channel_id: widget.channelId });
  });
  /** For everybody, without a token. */
  routes.get('/guilds/:guild/widget.json', (context) => {
    const guild = world.guilds.get(context.req.param('guild'));
    if (guild === undefined) throw refuse('unknownGuild');
    if (!guild.widget.enabled) throw refuse('widgetOff');
    const { id, name } = guild;
    const nobody = { channels: [], members: [], presence_count: 0 };
    return context.json({ id, name, instant_invite: null, ...nobody });
  });

  return routes;
}
