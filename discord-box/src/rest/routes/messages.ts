import {
  ChannelType,
  MessageFlags,
  MessageType,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { deleteMessages, publishMessage } from '../../world/messages/change-message.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import type { Channel } from '../../model/channel.ts';
import { holdsMessages, isForum } from '../../model/channel.ts';
import type { Message } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { compareIds, isSnowflake, snowflakeMs, type Snowflake } from '../../model/snowflakes.ts';
import {
  mayReadHistory,
  needPermission,
  asRead,
  reachMessages,
  reachMessage,
  refuseArchived,
  refuseLocked,
} from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { oldEdits } from '../old-edits.ts';
import { formError, parseForm } from '../parse-form.ts';
import { applyEdit, readDraft, sendMessage } from '../send.ts';

export function messageRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const allowOldEdit = oldEdits(world);
  /** Over REST, too, the content of others' messages needs the privileged intent. */
  const show = (message: Message) =>
    messagePayload(world, message, {
      withoutContent: !world.application.privileged.messageContent,
    });

  routes.get('/channels/:channel/messages', (context) => {
    const channel = asRead(context, reachMessages(world, context.req.param('channel')));
    if (!holdsMessages(channel)) throw refuse('notInThisChannel');
    if (!mayReadHistory(world, channel)) return context.json([]);
    return context.json(page(channel, context).map(show));
  });

  routes.post('/channels/:channel/messages', async (context) => {
    const channel = reachMessages(world, context.req.param('channel'));
    if (isForum(channel)) throw refuse('messageInForum');
    if (!holdsMessages(channel)) throw refuse('notTextChannel');
    const { body, files } = await readBody(context);
    return context.json(show(sendMessage(world, channel, readDraft(body, files))));
  });

  routes.post('/channels/:channel/messages/bulk-delete', async (context) => {
    const channel = reachMessages(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageMessages);
    const { messages } = parseForm(zBulkDelete, (await readBody(context)).body);
    const ids = [...new Set(messages)];
    if (ids.length < 2 || ids.length > 100) throw refuse('wrongNumberToDelete');
    const oldestMs = world.clock.now() - 14 * 86_400_000;
    if (ids.some((id) => snowflakeMs(id) < oldestMs)) throw refuse('tooOldToDelete');
    const found = ids.flatMap((id) => channel.messages.get(id) ?? []);
    if (found.some(isUndeletable)) throw refuse('systemMessage');
    deleteMessages(world, channel, ids, true);
    return context.body(null, 204);
  });

  routes.get('/channels/:channel/messages/:message', (context) => {
    const channel = asRead(context, reachMessages(world, context.req.param('channel')));
    if (!mayReadHistory(world, channel)) throw refuse('missingPermissions');
    return context.json(show(reachMessage(channel, context.req.param('message'))));
  });

  routes.patch('/channels/:channel/messages/:message', async (context) => {
    const channel = reachMessages(world, context.req.param('channel'));
    const message = reachMessage(channel, context.req.param('message'));
    refuseArchived(channel);
    refuseLocked(world, channel);
    const { body, files } = await readBody(context);
    if (message.authorId !== botId) {
      if (Object.keys(body).some((field) => field !== 'flags')) throw refuse('notTheAuthor');
      needPermission(world, channel, P.ManageMessages);
    }
    allowOldEdit(message);
    applyEdit(world, channel, message, readDraft(body, files, message));
    return context.json(show(message));
  });

  /** Only announcement channels have followers. Publishing others' messages needs Manage Messages. */
  routes.post('/channels/:channel/messages/:message/crosspost', (context) => {
    const channel = reachMessages(world, context.req.param('channel'));
    if (channel.type !== ChannelType.GuildAnnouncement) throw refuse('notInThisChannel');
    const message = reachMessage(channel, context.req.param('message'));
    const isOwn = message.authorId === botId;
    needPermission(world, channel, isOwn ? P.SendMessages : P.ManageMessages);
    if ((message.flags & MessageFlags.Crossposted) !== 0) throw refuse('alreadyCrossposted');
    publishMessage(world, channel, message);
    return context.json(show(message));
  });

  routes.delete('/channels/:channel/messages/:message', (context) => {
    const channel = reachMessages(world, context.req.param('channel'));
    const message = reachMessage(channel, context.req.param('message'));
    if (channel.thread?.archived === true) refuseLocked(world, channel);
    if (message.authorId !== botId) needPermission(world, channel, P.ManageMessages);
    if (isUndeletable(message)) throw refuse('systemMessage');
    deleteMessages(world, channel, [message.id]);
    return context.body(null, 204);
  });

  return routes;
}

const zBulkDelete = z.object({ messages: z.array(z.string().regex(/^\d{15,20}$/)) });

const UNDELETABLE: MessageType[] = [
  MessageType.RecipientAdd,
  MessageType.RecipientRemove,
  MessageType.Call,
  MessageType.ChannelNameChange,
  MessageType.ChannelIconChange,
  MessageType.ThreadStarterMessage,
];

/** Messages of Discord itself that nobody can delete, such as the first one of a thread. */
function isUndeletable({ type }: Message): boolean {
  return UNDELETABLE.includes(type);
}

/** Newest first. `after` takes those just after it, as Discord does; one of the three at a time. */
function page(channel: Channel, context: Context): Message[] {
  const limit = limitOf(context, 50);
  const given = ['around', 'before', 'after'].filter((name) => context.req.query(name));
  if (given.length > 1) {
    const message = 'Only one of around, before and after can be given.';
    throw formError([{ path: [given[1]!], code: 'BASE_TYPE_CHOICES', message }]);
  }
  const ids = channel.messageIds.filter((id) => channel.messages.get(id)?.onlyFor === null);
  const [around, before, after] = ['around', 'before', 'after'].map((name) =>
    snowflakeOf(context, name),
  );
  const firstAfter = (id: Snowflake): number => {
    const index = ids.findIndex((other) => compareIds(other, id) > 0);
    return index === -1 ? ids.length : index;
  };
  const firstFrom = (id: Snowflake): number => {
    const index = ids.findIndex((other) => compareIds(other, id) >= 0);
    return index === -1 ? ids.length : index;
  };
  let from = Math.max(0, ids.length - limit);
  let until = ids.length;
  if (around !== undefined) {
    from = Math.max(0, firstFrom(around) - Math.floor(limit / 2));
    until = Math.min(ids.length, from + limit);
  } else if (before !== undefined) {
    until = firstFrom(before);
    from = Math.max(0, until - limit);
  } else if (after !== undefined) {
    from = firstAfter(after);
    until = Math.min(ids.length, from + limit);
  }
  return ids
    .slice(from, until)
    .toReversed()
    .flatMap((id) => channel.messages.get(id) ?? []);
}

/** A snowflake in the query. Discord takes short ones too, such as 0. */
export function snowflakeOf(context: Context, name: string): Snowflake | undefined {
  const value = context.req.query(name);
  if (value === undefined || isSnowflake(value.padStart(15, '0'))) return value;
  const message = `Value "${value}" is not snowflake.`;
  throw formError([{ path: [name], code: 'NUMBER_TYPE_COERCE', message }]);
}

export function limitOf(context: Context, usual: number): number {
  const limit = context.req.query('limit');
  return parseForm(
    z.object({ limit: z.coerce.number().int().min(1).max(100).default(usual) }),
    limit === undefined ? {} : { limit },
  ).limit;
}
