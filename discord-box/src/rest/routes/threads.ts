import { ChannelFlags, ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { changeChannel } from '../../world/channels/change-channel.ts';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import {
  zPostForm,
  zThreadAloneForm,
  zThreadChange,
  zThreadForm,
} from '../../forms/channel-form.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import { changeThreadMembers, threadMemberPayload } from '../../world/messages/thread-members.ts';
import { startPost, startThreadAlone, startThreadFrom } from '../../world/messages/threads.ts';
import { type Channel, holdsThreads, isForum, type Thread } from '../../model/channel.ts';
import type { World } from '../../model/world.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { may } from '../../world/permissions.ts';
import {
  needPermission,
  reachChannel,
  reachMessage,
  refuseArchived,
  refuseLocked,
} from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';
import { contents, readDraft, refuseEmpty, refuseParts } from '../send.ts';

const MAX_ACTIVE_THREADS = 1000;
const zMembersPage = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(100),
  after: z.string().regex(/^\d+$/).default('0'),
});

export function threadRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  const refuseTooMany = ({ guildId }: Channel): void => {
    const active = [...world.channels.values()].filter(
      (one) => one.guildId === guildId && one.thread?.archived === false,
    );
    if (active.length >= MAX_ACTIVE_THREADS) throw refuse('tooManyThreads');
  };
  const hasPinned = ({ id }: Channel): boolean =>
    [...world.channels.values()].some((one) => one.parentId === id && one.thread?.pinned === true);
  const reachThread = (context: Context): { channel: Channel; thread: Thread } => {
    const channel = reachChannel(world, context.req.param('channel') ?? '');
    if (channel.thread === null) throw refuse('notInThisChannel');
    return { channel, thread: channel.thread };
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
    const given = { name: form.name, ownerId: botId, autoArchiveMinutes, ...slowmode(form) };
    return context.json(channelPayload(startThreadFrom(world, channel, message, given)), 201);
  });

  routes.post('/channels/:channel/threads', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    if (!holdsThreads(channel)) throw refuse('notInThisChannel');
    refuseTooMany(channel);
    const { body, files } = await readBody(context);
    if (isForum(channel)) {
      needPermission(world, channel, P.SendMessages);
      const form = parseForm(zPostForm, body);
      const draft = readDraft(form.message, files);
      refuseEmpty(draft);
      refuseParts(world, channel, draft);
      const autoArchiveMinutes = form.auto_archive_duration ?? 4320;
      const appliedTagIds = form.applied_tags ?? [];
      refuseUnknownTags(channel, appliedTagIds);
      if (channel.requiresTag && appliedTagIds.length === 0) throw refuse('tagRequired');
      const common = { name: form.name, ownerId: botId, autoArchiveMinutes };
      const given = { ...common, appliedTagIds, ...slowmode(form) };
      const { thread, message } = startPost(world, channel, given, contents(world, draft));
      return context.json(
        { ...channelPayload(thread), message: messagePayload(world, message) },
        201,
      );
    }
    const form = parseForm(zThreadAloneForm, body);
    const isPrivate = form.type === ChannelType.PrivateThread;
    needPermission(world, channel, isPrivate ? P.CreatePrivateThreads : P.CreatePublicThreads);
    const thread = startThreadAlone(world, channel, {
      name: form.name,
      ownerId: botId,
      private: isPrivate,
      autoArchiveMinutes: form.auto_archive_duration ?? 4320,
      ...slowmode(form),
      invitable: form.invitable ?? true,
    });
    return context.json(channelPayload(thread), 201);
  });

  /** Changes a thread, as its owner or with Manage Threads; who may write in it may reopen it. */
  routes.patch('/channels/:channel', async (context, next) => {
    const channel = reachChannel(world, context.req.param('channel'));
    const { thread } = channel;
    if (thread === null) return next();
    const form = parseForm(zThreadChange, (await readBody(context)).body);
    const { archived, locked, auto_archive_duration: minutes } = form;
    const staysArchived = thread.archived && archived !== false;
    const reopens = Object.keys(form).every((key) => key === 'archived') && archived === false;
    const mayManage = may(world, channel, botId, P.ManageThreads);
    const touchesLock = (locked ?? thread.locked) !== thread.locked;
    if (thread.locked && !mayManage) throw refuse('threadLocked');
    if (reopens) needPermission(world, channel, P.SendMessagesInThreads);
    else if (touchesLock || form.rate_limit_per_user != null || thread.ownerId !== botId) {
      needPermission(world, channel, P.ManageThreads);
    }
    if (staysArchived) throw refuse('threadArchived');
    const forum = world.channels.get(channel.parentId ?? '');
    if (forum !== undefined) refuseUnknownTags(forum, form.applied_tags ?? []);
    const pinned = form.flags == null ? undefined : (form.flags & ChannelFlags.Pinned) !== 0;
    if (pinned !== undefined && pinned !== thread.pinned) {
      needPermission(world, channel, P.ManageThreads);
      if (pinned && forum !== undefined && hasPinned(forum)) throw refuse('tooManyPinnedThreads');
    }
    changeChannel(world, channel, {
      ...(form.name == null ? {} : { name: form.name }),
      ...(form.applied_tags == null ? {} : { appliedTagIds: form.applied_tags }),
      ...(form.rate_limit_per_user == null ? {} : { slowmodeSeconds: form.rate_limit_per_user }),
      thread: {
        ...(form.invitable == null ? {} : { invitable: form.invitable }),
        ...(archived == null ? {} : { archived }),
        ...(locked == null ? {} : { locked }),
        ...(minutes == null ? {} : { autoArchiveMinutes: minutes }),
        ...(pinned === undefined ? {} : { pinned }),
      },
    });
    return context.json(channelPayload(channel, world));
  });

  routes.get('/channels/:channel/thread-members', (context) => {
    const { channel, thread } = reachThread(context);
    if (!world.application.privileged.guildMembers) throw refuse('missingAccess');
    const ids = [...thread.memberIds].sort(compareIds);
    if (context.req.query('with_member') !== 'true') {
      return context.json(ids.map((id) => threadMemberPayload(world, channel, id)));
    }
    const { limit, after } = parseForm(zMembersPage, context.req.query());
    const page = ids.filter((id) => compareIds(id, after) > 0).slice(0, limit);
    return context.json(page.map((id) => threadMemberPayload(world, channel, id, true)));
  });
  routes.get('/channels/:channel/thread-members/:user', (context) => {
    const { channel, thread } = reachThread(context);
    const userId = userOf(context);
    if (!thread.memberIds.has(userId)) throw refuse('unknownMember');
    const withMember = context.req.query('with_member') === 'true';
    return context.json(threadMemberPayload(world, channel, userId, withMember));
  });
  routes.put('/channels/:channel/thread-members/:user', (context) => {
    const { channel } = reachThread(context);
    const userId = userOf(context);
    refuseArchived(channel);
    refuseLocked(world, channel);
    if (userId !== botId) needPermission(world, channel, P.SendMessagesInThreads);
    const guild = world.guilds.get(channel.guildId ?? '');
    if (guild?.members.has(userId) !== true) throw refuse('unknownMember');
    changeThreadMembers(world, channel, userId, true);
    return context.body(null, 204);
  });
  routes.delete('/channels/:channel/thread-members/:user', (context) => {
    const { channel, thread } = reachThread(context);
    const userId = userOf(context);
    refuseArchived(channel);
    const isOwnPrivate = channel.type === ChannelType.PrivateThread && thread.ownerId === botId;
    if (userId !== botId && !isOwnPrivate) needPermission(world, channel, P.ManageThreads);
    changeThreadMembers(world, channel, userId, false);
    return context.body(null, 204);
  });
  const userOf = (context: Context): string => {
    const user = context.req.param('user') ?? '';
    return user === '@me' ? botId : user;
  };

  return routes;
}

/** Left out, a thread begins with what its channel sets. */
function slowmode({
  rate_limit_per_user: seconds,
}: {
  rate_limit_per_user?: number | null | undefined;
}) {
  return seconds == null ? {} : { slowmodeSeconds: seconds };
}

function refuseUnknownTags({ tags }: Channel, ids: readonly string[]): void {
  if (ids.some((id) => !tags.some((tag) => tag.id === id))) throw refuse('unknownTag');
}
