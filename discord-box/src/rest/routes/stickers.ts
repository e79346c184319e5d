import { PermissionFlagsBits as P, StickerFormatType as Format } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Guild, Sticker } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { changeStickers, stickerPayload } from '../../world/guilds/stickers.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody, readFields } from '../body.ts';
import { refuse } from '../errors.ts';
import { makerOf, needToManage } from '../expressions.ts';
import { parseForm } from '../parse-form.ts';

/** A server without boosts has room for so many. */
const MOST_STICKERS = 5;
const MOST_BYTES = 512 * 1024;
const FORMATS: Record<string, Format> = {
  'image/png': Format.PNG,
  'image/apng': Format.APNG,
  'image/gif': Format.GIF,
};

const zDescription = z
  .string()
  .max(100)
  .refine((text) => text.length !== 1, 'Must be 2 or more.');
const zForm = z.object({
  name: z.string().min(2).max(30),
  description: zDescription,
  tags: z.string().min(1).max(200),
});
const zChange = z.object({
  name: zForm.shape.name.optional(),
  description: zDescription.nullish(),
  tags: zForm.shape.tags.optional(),
});

/** Stickers of servers. Discord's own, which are sold in packs, are not here. */
export function stickerRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const path = '/guilds/:guild/stickers';

  const show = (guild: Guild, sticker: Sticker) => {
    return { ...stickerPayload(guild, sticker), ...makerOf(world, guild, sticker) };
  };
  const reach = (context: Context): { guild: Guild; sticker: Sticker } => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const sticker = guild.stickers.get(context.req.param('sticker') ?? '');
    if (sticker === undefined) throw refuse('unknownSticker');
    return { guild, sticker };
  };
  const manage = (context: Context): { guild: Guild; sticker: Sticker } => {
    const found = reach(context);
    needToManage(world, found.guild, found.sticker);
    return found;
  };

  routes.get('/sticker-packs', (context) => context.json({ sticker_packs: [] }));
  routes.get('/stickers/:sticker', (context) => {
    const id = context.req.param('sticker');
    const guild = [...world.guilds.values()].find(({ stickers }) => stickers.has(id));
    if (guild === undefined) throw refuse('unknownSticker');
    return context.json(stickerPayload(guild, guild.stickers.get(id)!));
  });
  routes.get(path, (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    return context.json([...guild.stickers.values()].map((one) => show(guild, one)));
  });
  routes.get(`${path}/:sticker`, (context) => {
    const { guild, sticker } = reach(context);
    return context.json(show(guild, sticker));
  });
  routes.post(path, async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.CreateGuildExpressions);
    const { fields, files } = await readFields(context);
    const form = parseForm(zForm, fields);
    const file = files.find(({ field }) => field === 'file');
    const format = FORMATS[file?.contentType ?? ''];
    if (file === undefined || format === undefined) throw refuse('invalidFile');
    if (file.data.byteLength > MOST_BYTES) throw refuse('tooLarge');
    if (guild.stickers.size >= MOST_STICKERS) throw refuse('tooManyStickers');
    const sticker = { id: world.snowflake(), ...form, format, makerId: botId };
    changeStickers(world, guild, () => guild.stickers.set(sticker.id, sticker));
    return context.json(show(guild, sticker), 201);
  });
  routes.patch(`${path}/:sticker`, async (context) => {
    const { guild, sticker } = manage(context);
    const form = parseForm(zChange, (await readBody(context)).body);
    changeStickers(world, guild, () => {
      sticker.name = form.name ?? sticker.name;
      sticker.tags = form.tags ?? sticker.tags;
      if (form.description !== undefined) sticker.description = form.description;
    });
    return context.json(show(guild, sticker));
  });
  routes.delete(`${path}/:sticker`, (context) => {
    const { guild, sticker } = manage(context);
    changeStickers(world, guild, () => guild.stickers.delete(sticker.id));
    return context.body(null, 204);
  });

  return routes;
}
