import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { changeChannel } from '../../channels/change-channel.ts';
import { channelPayload } from '../../channels/channel-payload.ts';
import { startThreadFrom } from '../../messages/threads.ts';
import { zThreadChange, zThreadForm } from '../../forms/channel-form.ts';
import { type Channel, holdsThreads, isThread } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { needPermission, reachChannel, reachMessage, refuseArchived } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

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

  routes.patch('/channels/:channel', async (context) => {
    const thread = reachChannel(world, context.req.param('channel'));
    if (!isThread(thread)) throw refuse('missingPermissions');
    if (thread.thread?.ownerId !== ownerId) needPermission(world, thread, P.ManageThreads);
    const { name, archived } = parseForm(zThreadChange, (await readBody(context)).body);
    // Docs: an archived thread takes changes only together with `archived: false`.
    if (archived !== false) refuseArchived(thread);
    else if (thread.thread?.locked === true) needPermission(world, thread, P.ManageThreads);
    changeChannel(world, thread, {
      ...(name === undefined ? {} : { name }),
      ...(archived === undefined ? {} : { thread: { archived } }),
    });
    return context.json(channelPayload(thread, world));
  });

  return routes;
}
