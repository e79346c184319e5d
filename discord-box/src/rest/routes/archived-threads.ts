import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import { threadMemberPayload } from '../../world/messages/thread-members.ts';
import { publicThreadType } from '../../world/messages/threads.ts';
import { type Channel, holdsThreads } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { mayReadHistory, needPermission, reachChannel } from '../access.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zLimit = z.coerce.number().int().min(2).max(100).default(50);
export const zArchivedPage = z.object({
  limit: zLimit,
  before: z.iso.datetime({ offset: true }).optional(),
});
const zJoinedPage = z.object({ limit: zLimit, before: z.string().regex(/^\d+$/).optional() });

export function archivedThreadRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  const reachParent = (context: Context): Channel => {
    const parent = reachChannel(world, context.req.param('channel') ?? '');
    if (!holdsThreads(parent)) throw refuse('notInThisChannel');
    if (!mayReadHistory(world, parent)) throw refuse('missingPermissions');
    return parent;
  };
  const archivedIn = (parent: Channel, type: ChannelType): Channel[] =>
    [...world.channels.values()].filter(
      (one) => one.parentId === parent.id && one.type === type && one.thread?.archived === true,
    );
  const page = (context: Context, threads: Channel[], limit: number): Response => {
    const shown = threads.slice(0, limit);
    const joined = shown.filter(({ thread }) => thread?.memberIds.has(botId) === true);
    return context.json({
      threads: shown.map((thread) => channelPayload(thread)),
      members: joined.map((thread) => threadMemberPayload(world, thread, botId)),
      has_more: threads.length > limit,
    });
  };
  const byArchiveTime = (context: Context, parent: Channel, type: ChannelType): Response => {
    const { limit, before: until = '' } = parseForm(zArchivedPage, context.req.query());
    const before = Date.parse(until);
    const threads = archivedIn(parent, type)
      .filter((one) => !((one.thread?.archiveChangedAtMs ?? 0) >= before))
      .sort(newestArchivedFirst);
    return page(context, threads, limit);
  };

  // Threads from before a channel was converted are of the other type, and not listed.
  routes.get('/channels/:channel/threads/archived/public', (context) => {
    const parent = reachParent(context);
    return byArchiveTime(context, parent, publicThreadType(parent));
  });

  routes.get('/channels/:channel/threads/archived/private', (context) => {
    const parent = reachParent(context);
    needPermission(world, parent, P.ManageThreads);
    return byArchiveTime(context, parent, ChannelType.PrivateThread);
  });

  routes.get('/channels/:channel/users/@me/threads/archived/private', (context) => {
    const parent = reachParent(context);
    const { limit, before } = parseForm(zJoinedPage, context.req.query());
    const threads = archivedIn(parent, ChannelType.PrivateThread)
      .filter(({ thread }) => thread?.memberIds.has(botId) === true)
      .filter(({ id }) => before === undefined || compareIds(id, before) < 0)
      .sort((a, b) => compareIds(b.id, a.id));
    return page(context, threads, limit);
  });

  return routes;
}

function newestArchivedFirst(a: Channel, b: Channel): number {
  const later = (b.thread?.archiveChangedAtMs ?? 0) - (a.thread?.archiveChangedAtMs ?? 0);
  return later || compareIds(b.id, a.id);
}
