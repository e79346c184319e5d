import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { channelPayload } from '../../channels/channel-payload.ts';
import {
  publicThreadType,
  startPost,
  startThreadAlone,
  startThreadFrom,
} from '../../channels/threads.ts';
import { zThreadForm } from '../../forms/channel-form.ts';
import { messagePayload } from '../../messages/message-payload.ts';
import { type Channel, holdsThreads } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { maySend } from '../../world/permissions.ts';
import { needPermission, reachChannel, reachMessage } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';
import { contents, readDraft, refuseEmpty } from '../send.ts';

const MAX_ACTIVE_THREADS = 1000;

export function threadRoutes(world: World): Hono {
  const routes = new Hono();
  const ownerId = world.application.botId;

  const refuseTooMany = ({ guildId }: Channel): void => {
    const active = [...world.channels.values()].filter(
      (one) => one.guildId === guildId && one.thread?.archived === false,
    );
    if (active.length >= MAX_ACTIVE_THREADS) throw refuse('tooManyThreads');
  };

  routes.post('/channels/:channel/messages/:message/threads', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    if (!holdsThreads(channel)) throw refuse('notInThisChannel');
    const message = reachMessage(channel, context.req.param('message'));
    needPermission(world, channel, P.CreatePublicThreads);
    if (world.channels.has(message.id)) throw refuse('threadAlreadyCreated');
    refuseTooMany(channel);
    const form = parseForm(zThreadForm, (await readBody(context)).body);
    const autoArchiveMinutes = form.auto_archive_duration ?? 4320;
    const given = { name: form.name, ownerId, autoArchiveMinutes };
    return context.json(channelPayload(startThreadFrom(world, channel, message, given)), 201);
  });

  routes.post('/channels/:channel/threads', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    const { body, files } = await readBody(context);
    const form = parseForm(zThreadForm, body);
    const given = {
      name: form.name,
      ownerId,
      autoArchiveMinutes: form.auto_archive_duration ?? 4320,
      appliedTagIds: form.applied_tags ?? [],
    };
    if (channel.type === ChannelType.GuildForum) {
      if (!maySend(world, channel, ownerId)) throw refuse('missingPermissions');
      if (!form.message) {
        const message = 'This field is required';
        throw formError([{ path: ['message'], code: 'BASE_TYPE_REQUIRED', message }]);
      }
      const draft = readDraft(form.message, files);
      refuseEmpty(draft);
      const { thread, message } = startPost(world, channel, given, contents(world, draft));
      const first = messagePayload(world, message);
      return context.json({ ...channelPayload(thread), message: first }, 201);
    }
    if (channel.type !== ChannelType.GuildText && channel.type !== ChannelType.GuildAnnouncement) {
      throw refuse('notInThisChannel');
    }
    const type = form.type ?? ChannelType.PrivateThread;
    const isAnnouncement = channel.type === ChannelType.GuildAnnouncement;
    const hidden = type === ChannelType.PrivateThread && !isAnnouncement;
    if (!hidden && type !== publicThreadType(channel)) throw refuse('notInThisChannel');
    refuseTooMany(channel);
    needPermission(world, channel, hidden ? P.CreatePrivateThreads : P.CreatePublicThreads);
    const thread = startThreadAlone(world, channel, { ...given, private: hidden });
    return context.json(channelPayload(thread), 201);
  });

  return routes;
}
