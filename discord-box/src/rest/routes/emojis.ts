import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { zEmojiChange, zEmojiForm } from '../../forms/emoji.ts';
import { changeEmojis } from '../../world/guilds/change-guild.ts';
import { emojiPayload } from '../../world/guilds/guild-payload.ts';
import type { World } from '../../model/world.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const MOST_EMOJIS = 50;

export function emojiRoutes(world: World): Hono {
  const routes = new Hono();

  routes.get('/guilds/:guild/emojis', (context) => {
    const { emojis } = reachGuild(world, context.req.param('guild'));
    return context.json([...emojis.values()].map(emojiPayload));
  });
  routes.get('/guilds/:guild/emojis/:emoji', (context) =>
    context.json(emojiPayload(reachEmoji(context).emoji)),
  );
  routes.post('/guilds/:guild/emojis', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.CreateGuildExpressions);
    const { name, image, roles } = parseForm(zEmojiForm, (await readBody(context)).body);
    if (guild.emojis.size >= MOST_EMOJIS) throw refuse('tooManyEmojis');
    const id = world.snowflake();
    const animated = image.startsWith('data:image/gif');
    const emoji = { id, name, animated, roleIds: roles ?? [] };
    changeEmojis(world, guild, () => guild.emojis.set(emoji.id, emoji));
    return context.json(emojiPayload(emoji), 201);
  });
  routes.patch('/guilds/:guild/emojis/:emoji', async (context) => {
    const { guild, emoji } = reachEmoji(context);
    needGuildPermission(world, guild, P.ManageGuildExpressions);
    const { name, roles } = parseForm(zEmojiChange, (await readBody(context)).body);
    changeEmojis(world, guild, () => {
      if (name !== undefined) emoji.name = name;
      if (roles !== undefined) emoji.roleIds = roles ?? [];
    });
    return context.json(emojiPayload(emoji));
  });
  routes.delete('/guilds/:guild/emojis/:emoji', (context) => {
    const { guild, emoji } = reachEmoji(context);
    needGuildPermission(world, guild, P.ManageGuildExpressions);
    changeEmojis(world, guild, () => guild.emojis.delete(emoji.id));
    return context.body(null, 204);
  });

  const reachEmoji = (context: Context) => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const emoji = guild.emojis.get(context.req.param('emoji') ?? '');
    if (emoji === undefined) throw refuse('unknownGuildEmoji');
    return { guild, emoji };
  };

  return routes;
}
