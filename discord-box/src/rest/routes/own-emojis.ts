import { type Context, Hono } from 'hono';
import { zEmojiForm, zEmojiName } from '../../forms/emoji.ts';
import { emojiPayload } from '../../world/guilds/guild-payload.ts';
import { userPayload } from '../../world/user-payload.ts';
import type { GuildEmoji } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

/** Emoji that belong to no server: the application alone uses them, everywhere. */
export function ownEmojiRoutes(world: World): Hono {
  const routes = new Hono();
  const { application, ownEmojis } = world;

  const reachApplication = (context: Context): void => {
    if (context.req.param('application') !== application.id) throw refuse('unknownApplication');
  };
  const reachEmoji = (context: Context): GuildEmoji => {
    reachApplication(context);
    const emoji = ownEmojis.get(context.req.param('emoji') ?? '');
    if (emoji === undefined) throw refuse('unknownGuildEmoji');
    return emoji;
  };
  const show = (emoji: GuildEmoji) => ({
    ...emojiPayload(emoji),
    user: userPayload(world, application.botId),
  });

  routes.get('/applications/:application/emojis', (context) => {
    reachApplication(context);
    return context.json({ items: [...ownEmojis.values()].map(show) });
  });
  routes.get('/applications/:application/emojis/:emoji', (context) =>
    context.json(show(reachEmoji(context))),
  );
  routes.post('/applications/:application/emojis', async (context) => {
    reachApplication(context);
    const { name, image } = parseForm(zEmojiForm, (await readBody(context)).body);
    const emoji = { id: world.snowflake(), name, animated: image.startsWith('data:image/gif') };
    ownEmojis.set(emoji.id, emoji);
    return context.json(show(emoji), 201);
  });
  routes.patch('/applications/:application/emojis/:emoji', async (context) => {
    const emoji = reachEmoji(context);
    emoji.name = parseForm(zEmojiName, (await readBody(context)).body).name;
    return context.json(show(emoji));
  });
  routes.delete('/applications/:application/emojis/:emoji', (context) => {
    ownEmojis.delete(reachEmoji(context).id);
    return context.body(null, 204);
  });

  return routes;
}
