import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Guild, Stage } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { stagePayload, tellStage } from '../../world/guilds/stages.ts';
import { needPermission, reachChannel, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const MODERATOR = P.ManageChannels | P.MuteMembers | P.MoveMembers;
const zChange = z.object({
  topic: z.string().min(1).max(120).optional(),
  privacy_level: z.literal(2).optional(),
});
const zForm = zChange.required({ topic: true }).extend({
  channel_id: z.string(),
  send_start_notification: z.boolean().nullish(),
  guild_scheduled_event_id: z.string().nullish(),
});

/** Stages: what goes on in a stage channel, while it does. */
export function stageRoutes(world: World): Hono {
  const routes = new Hono();

  const reach = (context: Context): { guild: Guild; stage: Stage } => {
    const channel = reachChannel(world, context.req.param('channel') ?? '');
    const guild = reachGuild(world, channel.guildId ?? '');
    const stage = guild.stages.get(channel.id);
    if (stage === undefined) throw refuse('unknownStage');
    return { guild, stage };
  };
  const moderate = (context: Context): { guild: Guild; stage: Stage } => {
    const found = reach(context);
    needPermission(world, reachChannel(world, found.stage.channelId), MODERATOR);
    return found;
  };

  routes.post('/stage-instances', async (context) => {
    const form = parseForm(zForm, (await readBody(context)).body);
    const channel = reachChannel(world, form.channel_id);
    if (channel.type !== ChannelType.GuildStageVoice) throw refuse('notInThisChannel');
    needPermission(world, channel, MODERATOR);
    if (form.send_start_notification === true) needPermission(world, channel, P.MentionEveryone);
    const guild = reachGuild(world, channel.guildId ?? '');
    if (guild.stages.has(channel.id)) throw refuse('stageIsOpen');
    const eventId = form.guild_scheduled_event_id ?? null;
    const stage = { id: world.snowflake(), channelId: channel.id, topic: form.topic, eventId };
    guild.stages.set(channel.id, stage);
    tellStage(world, guild, 'CREATE', stage);
    return context.json(stagePayload(guild, stage));
  });
  routes.get('/stage-instances/:channel', (context) => {
    const { guild, stage } = reach(context);
    return context.json(stagePayload(guild, stage));
  });
  routes.patch('/stage-instances/:channel', async (context) => {
    const { guild, stage } = moderate(context);
    const { topic } = parseForm(zChange, (await readBody(context)).body);
    stage.topic = topic ?? stage.topic;
    tellStage(world, guild, 'UPDATE', stage);
    return context.json(stagePayload(guild, stage));
  });
  routes.delete('/stage-instances/:channel', (context) => {
    const { guild, stage } = moderate(context);
    guild.stages.delete(stage.channelId);
    tellStage(world, guild, 'DELETE', stage);
    return context.body(null, 204);
  });

  return routes;
}
