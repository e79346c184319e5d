import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Channel } from '../../model/channel.ts';
import type { Guild, VoiceState } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { changeVoice, voiceStatePayload } from '../../world/voice.ts';
import { needPermission, reachChannel, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zChange = z.object({
  channel_id: z.string().nullish(),
  suppress: z.boolean().nullish(),
  request_to_speak_timestamp: z.iso.datetime({ offset: true }).nullish(),
});
const REGIONS = ['rotterdam', 'us-east', 'singapore'].map((id, at) => ({
  id,
  name: id,
  custom: false,
  deprecated: false,
  optimal: at === 0,
}));

/** Who is in voice channels, and who speaks on a stage. Members are moved by changing them. */
export function voiceRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const path = '/guilds/:guild/voice-states/:user';

  const reachState = (context: Context) => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const user = context.req.param('user') ?? '';
    const userId = user === '@me' ? botId : user;
    const state = guild.voiceStates.get(userId);
    if (state === undefined) throw refuse('unknownVoiceState');
    return { guild, userId, state, channel: reachChannel(world, state.channelId) };
  };

  routes.get('/voice/regions', (context) => context.json(REGIONS));
  routes.get('/guilds/:guild/regions', (context) => {
    reachGuild(world, context.req.param('guild'));
    return context.json(REGIONS);
  });
  routes.get(path, (context) => {
    const { guild, userId, channel } = reachState(context);
    if (userId !== botId) needPermission(world, channel, P.Connect);
    return context.json(voiceStatePayload(world, guild, userId));
  });
  routes.patch(path, async (context) => {
    const found = reachState(context);
    const { guild, userId, state, channel } = found;
    const form = parseForm(zChange, (await readBody(context)).body);
    const asked = form.request_to_speak_timestamp;
    if (channel.type !== ChannelType.GuildStageVoice) throw refuse('notInThisChannel');
    if (form.channel_id != null && form.channel_id !== state.channelId) {
      throw refuse('unknownVoiceState');
    }
    const isOwn = userId === botId;
    if (!isOwn || form.suppress === false) needPermission(world, channel, P.MuteMembers);
    if (isOwn && asked != null) needPermission(world, channel, P.RequestToSpeak);
    changeVoice(world, guild, userId, {
      ...(form.suppress == null ? {} : { suppressed: form.suppress }),
      ...(form.suppress === true ? { askedToSpeakAtMs: null } : {}),
      // A member who is asked onto the stage is shown as one who asked.
      ...(form.suppress === false && !isOwn ? { askedToSpeakAtMs: world.clock.now() } : {}),
      ...(isOwn && asked !== undefined
        ? { askedToSpeakAtMs: asked === null ? null : Date.parse(asked) }
        : {}),
    });
    return context.body(null, 204);
  });

  return routes;
}

/** Where a member goes who is moved, or null to end its call; both need that it is in one. */
export function reachVoiceTarget(
  world: World,
  guild: Guild,
  state: VoiceState | undefined,
  channelId: string | null,
): Channel | null {
  if (state === undefined) throw refuse('notInVoice');
  if (channelId === null) {
    needPermission(world, reachChannel(world, state.channelId), P.MoveMembers);
    return null;
  }
  const channel = reachChannel(world, channelId);
  if (channel.guildId !== guild.id) throw refuse('unknownChannel');
  if (channel.type !== ChannelType.GuildVoice && channel.type !== ChannelType.GuildStageVoice) {
    throw refuse('notInThisChannel');
  }
  needPermission(world, channel, P.Connect | P.MoveMembers);
  return channel;
}
