import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { parseEmoji } from '../../forms/emoji.ts';
import {
  addReaction,
  emojiKey,
  reactionUsers,
  removeAllReactions,
  removeEmoji,
  removeReaction,
} from '../../world/messages/reactions.ts';
import type { Channel } from '../../model/channel.ts';
import type { Message } from '../../model/message.ts';
import type { Emoji } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { canUse } from '../../world/known-emoji.ts';
import { userPayload } from '../../world/user-payload.ts';
import {
  asRead,
  mayReadHistory,
  needPermission,
  reachMessages,
  reachMessage,
  reactorsAtMost,
  refuseArchived,
} from '../access.ts';
import { refuse } from '../errors.ts';
import { limitOf, snowflakeOf } from './messages.ts';

const PATH = '/channels/:channel/messages/:message/reactions';
const MAX_EMOJIS = 20;

export function reactionRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const target = (context: Context): { channel: Channel; message: Message } => {
    const channel = reachMessages(world, context.req.param('channel') ?? '');
    if (!mayReadHistory(world, channel)) throw refuse('missingPermissions');
    return { channel, message: reachMessage(channel, context.req.param('message') ?? '') };
  };
  routes.get(`${PATH}/:emoji`, (context) => {
    const { channel } = target(context);
    const message = reachMessage(asRead(context, channel), context.req.param('message') ?? '');
    const users = reactionUsers(message, emojiOf(context), {
      burst: context.req.query('type') === '1',
      after: snowflakeOf(context, 'after') ?? '0',
      limit: Math.min(limitOf(context, 25), reactorsAtMost(context)),
    });
    return context.json(users.map((id) => userPayload(world, id)));
  });

  routes.put(`${PATH}/:emoji/@me`, (context) => {
    const { channel, message } = target(context);
    const emoji = emojiOf(context);
    refuseArchived(channel);
    if (world.blockedBy.has(message.authorId)) throw refuse('reactionBlocked');
    if (!message.reactions.has(emojiKey(emoji))) {
      const use = canUse(world, channel, botId, emoji);
      if (use === 'unknown') throw refuse('unknownEmoji');
      if (use === 'forbidden') throw refuse('missingPermissions');
      needPermission(world, channel, P.AddReactions);
      if (message.reactions.size >= MAX_EMOJIS) throw refuse('tooManyReactions');
    }
    addReaction(world, channel, message, botId, emoji, false);
    return context.body(null, 204);
  });

  const removeOf = (context: Context, userId: string) => {
    const { channel, message } = target(context);
    const emoji = emojiOf(context);
    refuseArchived(channel);
    if (userId !== botId) needPermission(world, channel, P.ManageMessages);
    if (!message.reactions.has(emojiKey(emoji))) throw refuse('unknownEmoji');
    for (const burst of [false, true]) {
      removeReaction(world, channel, message, userId, emoji, burst);
    }
    return context.body(null, 204);
  };
  routes.delete(PATH, (context) => {
    const { channel, message } = target(context);
    refuseArchived(channel);
    needPermission(world, channel, P.ManageMessages);
    removeAllReactions(world, channel, message);
    return context.body(null, 204);
  });
  routes.delete(`${PATH}/:emoji`, (context) => {
    const { channel, message } = target(context);
    refuseArchived(channel);
    needPermission(world, channel, P.ManageMessages);
    removeEmoji(world, channel, message, emojiOf(context));
    return context.body(null, 204);
  });
  routes.delete(`${PATH}/:emoji/@me`, (context) => removeOf(context, botId));
  routes.delete(`${PATH}/:emoji/:user`, (context) => removeOf(context, context.req.param('user')));

  return routes;
}

function emojiOf(context: Context): Emoji {
  const emoji = parseEmoji(context.req.param('emoji') ?? '');
  if (emoji === undefined) throw refuse('unknownEmoji');
  return emoji;
}
