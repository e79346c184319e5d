import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Channel } from '../../model/channel.ts';
import type { Guild, Onboarding } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { changeGuild } from '../../world/guilds/change-guild.ts';
import { guildPermissions } from '../../world/permissions.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zIds = z.array(z.string()).nullish();
const zPrompt = z.object({
  id: z.string(),
  title: z.string().min(1).max(100),
  type: z.int().min(0).max(1).nullish(),
  single_select: z.boolean().nullish(),
  required: z.boolean().nullish(),
  in_onboarding: z.boolean().nullish(),
  options: z
    .array(
      z.object({
        id: z.string().nullish(),
        title: z.string().min(1).max(50),
        description: z.string().max(100).nullish(),
        emoji_id: z.string().nullish(),
        emoji_name: z.string().nullish(),
        emoji_animated: z.boolean().nullish(),
        role_ids: zIds,
        channel_ids: zIds,
      }),
    )
    .min(1)
    .max(50),
});
const zOnboarding = z.object({
  prompts: z.array(zPrompt).max(15).nullish(),
  default_channel_ids: z.array(z.string()).max(500).nullish(),
  enabled: z.boolean().nullish(),
  mode: z.int().min(0).max(1).nullish(),
});
const zWelcomeScreen = z.object({
  enabled: z.boolean().nullish(),
  description: z.string().max(140).nullish(),
  welcome_channels: z
    .array(
      z.object({
        channel_id: z.string(),
        description: z.string().min(1).max(50),
        emoji_id: z.string().nullable().default(null),
        emoji_name: z.string().nullable().default(null),
      }),
    )
    .max(5)
    .nullish(),
});

/** So many channels newcomers must see at least, and be able to write in so many of them. */
const FEWEST_CHANNELS = 7;
const FEWEST_TO_WRITE_IN = 5;

/** What newcomers of a server are asked and shown. */
export function newcomerRoutes(world: World): Hono {
  const routes = new Hono();

  routes.get('/guilds/:guild/onboarding', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    return context.json({ guild_id: guild.id, ...guild.onboarding });
  });
  routes.put('/guilds/:guild/onboarding', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild | P.ManageRoles);
    const form = parseForm(zOnboarding, (await readBody(context)).body);
    const changed: Onboarding = {
      prompts: form.prompts?.map((prompt) => toPrompt(world, prompt)) ?? guild.onboarding.prompts,
      default_channel_ids: form.default_channel_ids ?? guild.onboarding.default_channel_ids,
      enabled: form.enabled ?? guild.onboarding.enabled,
      mode: form.mode ?? guild.onboarding.mode,
    };
    if (changed.enabled && !suffices(world, guild, changed)) throw refuse('onboardingNeedsMore');
    guild.onboarding = changed;
    return context.json({ guild_id: guild.id, ...changed });
  });

  routes.get('/guilds/:guild/welcome-screen', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const { enabled, ...shown } = guild.welcomeScreen;
    const { botId } = world.application;
    const isManager = (guildPermissions(world, guild, botId) & P.ManageGuild) !== 0n;
    if (!enabled && !isManager) throw refuse('unknownWelcomeScreen');
    return context.json(shown);
  });
  routes.patch('/guilds/:guild/welcome-screen', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild);
    const form = parseForm(zWelcomeScreen, (await readBody(context)).body);
    const screen = guild.welcomeScreen;
    screen.enabled = form.enabled ?? screen.enabled;
    if (form.description !== undefined) screen.description = form.description;
    if (form.welcome_channels !== undefined) screen.welcome_channels = form.welcome_channels ?? [];
    changeGuild(world, guild, {});
    const { enabled: _, ...shown } = screen;
    return context.json(shown);
  });

  return routes;
}

/** Questions and their answers get ids of their own where Discord does not know the given ones. */
function toPrompt(world: World, form: z.output<typeof zPrompt>): Json {
  const { title, type, single_select, required, in_onboarding } = form;
  return {
    id: idOf(world, form.id),
    title,
    type: type ?? 0,
    single_select: single_select ?? false,
    required: required ?? false,
    in_onboarding: in_onboarding ?? false,
    options: form.options.map((option) => ({
      id: idOf(world, option.id),
      title: option.title,
      description: option.description ?? '',
      emoji: {
        id: option.emoji_id ?? null,
        name: option.emoji_name ?? null,
        animated: option.emoji_animated ?? false,
      },
      role_ids: option.role_ids ?? [],
      channel_ids: option.channel_ids ?? [],
    })),
  };
}

function idOf(world: World, given: string | null | undefined): string {
  return given != null && /^\d{15,20}$/.test(given) ? given : world.snowflake();
}

/** With mode 1, the channels of the questions count too. */
function suffices(world: World, guild: Guild, { prompts, default_channel_ids, mode }: Onboarding) {
  const asked = prompts.flatMap(({ options }) =>
    (options as { channel_ids: string[] }[]).flatMap(({ channel_ids }) => channel_ids),
  );
  const ids = new Set([...default_channel_ids, ...(mode === 1 ? asked : [])]);
  const channels = [...ids].flatMap((id) => world.channels.get(id) ?? []);
  const writable = channels.filter((channel) => everyoneMaySend(guild, channel));
  return channels.length >= FEWEST_CHANNELS && writable.length >= FEWEST_TO_WRITE_IN;
}

function everyoneMaySend(guild: Guild, { overwrites }: Channel): boolean {
  const { allow, deny } = overwrites.get(guild.id) ?? { allow: 0n, deny: 0n };
  const permissions = ((guild.roles.get(guild.id)?.permissions ?? 0n) & ~deny) | allow;
  const needed = P.ViewChannel | P.SendMessages;
  return (permissions & needed) === needed;
}
