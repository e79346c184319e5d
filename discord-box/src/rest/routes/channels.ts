import { ChannelFlags, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import {
  changeChannel,
  deleteChannel,
  setOverwrite,
  setOverwrites,
} from '../../world/channels/change-channel.ts';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import { newTags } from '../../world/channels/new-tags.ts';
import {
  toOverwrites,
  toSettings,
  zChannelChange,
  zOverwriteForm,
} from '../../forms/channel-form.ts';
import { threadMemberPayload } from '../../world/messages/thread-members.ts';
import { isThread } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { maySend } from '../../world/permissions.ts';
import { needPermission, reachChannel } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const SPOILER = ChannelFlags.IsSpoilerChannel;

export function channelRoutes(world: World): Hono {
  const routes = new Hono();

  /** Of a thread that it has joined, the bot is told its own part. */
  routes.get('/channels/:channel', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    const { botId } = world.application;
    const joined = channel.thread?.memberIds.has(botId) === true;
    const member = joined ? { member: threadMemberPayload(world, channel, botId) } : {};
    return context.json({ ...channelPayload(channel, world), ...member });
  });

  routes.delete('/channels/:channel', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    if (channel.guildId !== null) {
      needPermission(world, channel, isThread(channel) ? P.ManageThreads : P.ManageChannels);
      deleteChannel(world, channel);
    }
    return context.json(channelPayload(channel, world));
  });

  routes.patch('/channels/:channel', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    if (channel.guildId === null) throw refuse('notInThisChannel');
    needPermission(world, channel, P.ManageChannels);
    const { body } = await readBody(context);
    const form = parseForm(zChannelChange, body);
    if (form.permission_overwrites != null) {
      needPermission(world, channel, P.ManageRoles);
      setOverwrites(world, channel, toOverwrites(form.permission_overwrites));
    }
    const spoiler = form.flags == null ? undefined : (form.flags & SPOILER) !== 0;
    changeChannel(world, channel, {
      ...(form.name == null ? {} : { name: form.name }),
      ...(form.type == null ? {} : { type: form.type }),
      ...(form.topic === undefined ? {} : { topic: form.topic }),
      ...(form.position == null ? {} : { position: form.position }),
      ...(form.parent_id === undefined ? {} : { parentId: form.parent_id }),
      ...(form.nsfw == null ? {} : { ageRestricted: form.nsfw }),
      ...(spoiler === undefined ? {} : { spoiler }),
      ...(form.rate_limit_per_user == null ? {} : { slowmodeSeconds: form.rate_limit_per_user }),
      ...(form.user_limit == null ? {} : { userLimit: form.user_limit }),
      ...(form.bitrate == null ? {} : { bitrate: form.bitrate }),
      ...(form.available_tags == null ? {} : { tags: newTags(world, form.available_tags) }),
      ...toSettings(form),
    });
    return context.json(channelPayload(channel, world));
  });

  routes.put('/channels/:channel/permissions/:target', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageRoles);
    const form = parseForm(zOverwriteForm, (await readBody(context)).body);
    const [overwrite] = toOverwrites([{ ...form, id: context.req.param('target') }]);
    if (overwrite !== undefined) setOverwrite(world, channel, overwrite.id, overwrite);
    return context.body(null, 204);
  });
  routes.delete('/channels/:channel/permissions/:target', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageRoles);
    const target = context.req.param('target');
    if (!channel.overwrites.has(target)) throw refuse('unknownOverwrite');
    setOverwrite(world, channel, target, null);
    return context.body(null, 204);
  });

  routes.post('/channels/:channel/typing', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    if (!maySend(world, channel, world.application.botId)) throw refuse('missingPermissions');
    return context.body(null, 204);
  });

  return routes;
}
