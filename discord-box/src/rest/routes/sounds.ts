import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Guild, Sound } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { soundPayload, tellSound } from '../../world/guilds/sounds.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { makerOf, needToManage } from '../expressions.ts';
import { parseForm } from '../parse-form.ts';

/** A server without boosts has room for so many. */
const MOST_SOUNDS = 8;
const MOST_BYTES = 512 * 1024;

const zChange = z.object({
  name: z.string().min(2).max(32).optional(),
  volume: z.number().min(0).max(1).nullish(),
  emoji_id: z.string().nullish(),
  emoji_name: z.string().nullish(),
});
const zForm = zChange.required({ name: true }).extend({
  sound: z.string().regex(/^data:audio\/(?:mpeg|mp3|ogg);base64,/, 'Invalid audio data.'),
});

/** Sounds of servers. Discord's own are not here, and nobody hears one that is played. */
export function soundRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const path = '/guilds/:guild/soundboard-sounds';

  const show = (guild: Guild, sound: Sound) => {
    return { ...soundPayload(guild, sound), ...makerOf(world, guild, sound) };
  };
  const reach = (context: Context): { guild: Guild; sound: Sound } => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const sound = guild.sounds.get(context.req.param('sound') ?? '');
    if (sound === undefined) throw refuse('unknownSound');
    return { guild, sound };
  };
  const manage = (context: Context): { guild: Guild; sound: Sound } => {
    const found = reach(context);
    needToManage(world, found.guild, found.sound);
    return found;
  };

  routes.get('/soundboard-default-sounds', (context) => context.json([]));
  routes.get(path, (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    return context.json({ items: [...guild.sounds.values()].map((one) => show(guild, one)) });
  });
  routes.get(`${path}/:sound`, (context) => {
    const { guild, sound } = reach(context);
    return context.json(show(guild, sound));
  });
  routes.post(path, async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.CreateGuildExpressions);
    const form = parseForm(zForm, (await readBody(context)).body);
    if ((form.sound.length * 3) / 4 > MOST_BYTES) throw refuse('tooLarge');
    if (guild.sounds.size >= MOST_SOUNDS) throw refuse('tooManySounds');
    const sound: Sound = {
      id: world.snowflake(),
      name: form.name,
      volume: form.volume ?? 1,
      emojiId: form.emoji_id ?? null,
      emojiName: form.emoji_name ?? null,
      makerId: botId,
    };
    guild.sounds.set(sound.id, sound);
    tellSound(world, guild, 'CREATE', sound);
    return context.json(show(guild, sound), 201);
  });
  routes.patch(`${path}/:sound`, async (context) => {
    const { guild, sound } = manage(context);
    const form = parseForm(zChange, (await readBody(context)).body);
    sound.name = form.name ?? sound.name;
    if (form.volume !== undefined) sound.volume = form.volume ?? 1;
    if (form.emoji_id !== undefined) sound.emojiId = form.emoji_id;
    if (form.emoji_name !== undefined) sound.emojiName = form.emoji_name;
    tellSound(world, guild, 'UPDATE', sound);
    return context.json(show(guild, sound));
  });
  routes.delete(`${path}/:sound`, (context) => {
    const { guild, sound } = manage(context);
    guild.sounds.delete(sound.id);
    tellSound(world, guild, 'DELETE', sound);
    return context.body(null, 204);
  });

  return routes;
}
