import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import { changeChannel, deleteChannel, setOverwrite } from '../../channels/change-channel.ts';
import { channelPayload } from '../../channels/channel-payload.ts';
import { syncThreads } from '../../channels/sync-threads.ts';
import { publicThreadType } from '../../channels/threads.ts';
import { toOverwrites, zChannelForm, zOverwrite } from '../../forms/channel-form.ts';
import { type Channel, holdsThreads, isThread } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { may } from '../../world/permissions.ts';
import { compareIds } from '../../world/snowflakes.ts';
import { mayReadHistory, needPermission, reachChannel } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

export const zArchivedPage = z.object({
  limit: z.coerce.number().int().min(2).max(100).default(50),
  before: z.iso.datetime({ offset: true }).optional(),
});

/** They have no private threads. */
const FORUMS = [ChannelType.GuildForum, ChannelType.GuildMedia];

type Change = Parameters<typeof changeChannel>[2];

export function channelRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  routes.get('/channels/:channel', (context) =>
    context.json(channelPayload(reachChannel(world, context.req.param('channel')), world)),
  );

  routes.patch('/channels/:channel', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    if (channel.guildId === null) throw refuse('notInDirectMessage');
    const form = parseForm(zChannelForm, (await readBody(context)).body);
    needChannelRights(channel, form.archived === false);
    syncThreads(world, channel.guildId, () => {
      if (form.permission_overwrites) {
        const given = toOverwrites(form.permission_overwrites);
        channel.overwrites = new Map(given.map((one) => [one.id, one]));
      }
      changeChannel(world, channel, changeFrom(form));
    });
    return context.json(channelPayload(channel));
  });

  /** Anyone who may send there can take an unlocked thread out of the archive. */
  const needChannelRights = (channel: Channel, unarchiving: boolean): void => {
    if (!isThread(channel)) return needPermission(world, channel, P.ManageChannels);
    const owner = channel.thread?.ownerId === botId && !channel.thread.locked;
    const opens = unarchiving && channel.thread?.locked === false;
    if (opens && may(world, channel, botId, P.SendMessagesInThreads)) return;
    if (!owner) needPermission(world, channel, P.ManageThreads);
    if (channel.thread?.archived === true && !unarchiving) throw refuse('threadArchived');
  };

  routes.delete('/channels/:channel', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    if (channel.guildId !== null) {
      needPermission(world, channel, isThread(channel) ? P.ManageThreads : P.ManageChannels);
      deleteChannel(world, channel);
    }
    return context.json(channelPayload(channel, world));
  });

  routes.put('/channels/:channel/permissions/:target', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageRoles);
    const id = context.req.param('target');
    const { body } = await readBody(context);
    const [overwrite] = toOverwrites([parseForm(zOverwrite, { ...body, id })]);
    if (overwrite !== undefined) setOverwrite(world, channel, id, overwrite);
    return context.body(null, 204);
  });

  routes.delete('/channels/:channel/permissions/:target', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageRoles);
    setOverwrite(world, channel, context.req.param('target'), null);
    return context.body(null, 204);
  });

  for (const kind of ['public', 'private'] as const) {
    routes.get(`/channels/:channel/threads/archived/${kind}`, (context) => {
      const parent = reachChannel(world, context.req.param('channel'));
      if (!holdsThreads(parent)) throw refuse('notInThisChannel');
      if (!mayReadHistory(world, parent)) throw refuse('missingPermissions');
      if (kind === 'private') {
        if (FORUMS.includes(parent.type)) throw refuse('notInThisChannel');
        needPermission(world, parent, P.ManageThreads);
      }
      const { limit, before: until = '' } = parseForm(zArchivedPage, context.req.query());
      const before = Date.parse(until);
      // Threads from before a channel was converted are of the other type, and not listed.
      const listed = kind === 'private' ? ChannelType.PrivateThread : publicThreadType(parent);
      const threads = [...world.channels.values()]
        .filter((one) => one.parentId === parent.id && one.thread?.archived === true)
        .filter((one) => one.type === listed)
        .filter((one) => !((one.thread?.archiveChangedAtMs ?? 0) >= before))
        .sort(newestArchivedFirst);
      return context.json({
        threads: threads.slice(0, limit).map((thread) => channelPayload(thread)),
        members: [],
        has_more: threads.length > limit,
      });
    });
  }

  return routes;
}

function changeFrom(form: ReturnType<typeof zChannelForm.parse>): Change {
  const thread = {
    ...(form.archived === undefined ? {} : { archived: form.archived }),
    ...(form.locked === undefined ? {} : { locked: form.locked }),
    ...(form.auto_archive_duration === undefined
      ? {}
      : { autoArchiveMinutes: form.auto_archive_duration }),
  };
  return {
    thread,
    ...(form.name === undefined ? {} : { name: form.name }),
    ...(form.topic === undefined ? {} : { topic: form.topic }),
    ...(form.parent_id === undefined ? {} : { parentId: form.parent_id }),
    ...(form.nsfw === undefined || form.nsfw === null ? {} : { ageRestricted: form.nsfw }),
    ...(form.position === undefined || form.position === null ? {} : { position: form.position }),
    ...(form.applied_tags === undefined ? {} : { appliedTagIds: form.applied_tags }),
  };
}

function newestArchivedFirst(a: Channel, b: Channel): number {
  const later = (b.thread?.archiveChangedAtMs ?? 0) - (a.thread?.archiveChangedAtMs ?? 0);
  return later || compareIds(b.id, a.id);
}
