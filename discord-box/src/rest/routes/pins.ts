import { GatewayIntentBits, MessageType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { createMessage, touchMessage } from '../../world/messages/change-message.ts';
import { messagePayload } from '../../world/messages/message-payload.ts';
import type { Channel } from '../../model/channel.ts';
import type { Message } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import {
  mayReadHistory,
  needPermission,
  reachMessage,
  reachMessages,
  refuseArchived,
} from '../access.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const MOST_PINS = 250;
const zPage = z.object({
  limit: z.coerce.number().int().min(1).max(50).default(50),
  before: z.iso.datetime({ offset: true }).optional(),
});

/** Pinned messages, by the new routes and the deprecated ones. */
export function pinRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const view = { withoutContent: !world.application.privileged.messageContent };

  routes.get('/channels/:channel/messages/pins', (context) => {
    const channel = reachMessages(world, context.req.param('channel'));
    if (!mayReadHistory(world, channel)) return context.json({ items: [], has_more: false });
    const { limit, before = '' } = parseForm(zPage, context.req.query());
    const found = pinned(channel).filter((one) => !(one.pinnedAtMs >= Date.parse(before)));
    return context.json({
      items: found.slice(0, limit).map((message) => ({
        pinned_at: new Date(message.pinnedAtMs).toISOString(),
        message: messagePayload(world, message, view),
      })),
      has_more: found.length > limit,
    });
  });
  routes.get('/channels/:channel/pins', (context) => {
    const channel = reachMessages(world, context.req.param('channel'));
    const found = mayReadHistory(world, channel) ? pinned(channel).slice(0, 50) : [];
    return context.json(found.map((message) => messagePayload(world, message, view)));
  });

  for (const path of [
    '/channels/:channel/messages/pins/:message',
    '/channels/:channel/pins/:message',
  ]) {
    routes.put(path, (context) => setPin(context, true));
    routes.delete(path, (context) => setPin(context, false));
  }

  function setPin(context: Context, isPinned: boolean): Response {
    const channel = reachMessages(world, context.req.param('channel') ?? '');
    const message = reachMessage(channel, context.req.param('message') ?? '');
    refuseArchived(channel);
    needPermission(world, channel, P.PinMessages);
    if ((message.pinnedAtMs !== null) === isPinned) return context.body(null, 204);
    if (isPinned && pinned(channel).length >= MOST_PINS) throw refuse('tooManyPins');
    message.pinnedAtMs = isPinned ? world.clock.now() : null;
    touchMessage(world, channel, message);
    tellPins(channel);
    if (isPinned) {
      const type = MessageType.ChannelPinnedMessage;
      createMessage(world, channel, { authorId: botId, type, replyTo: message.id });
    }
    return context.body(null, 204);
  }

  function tellPins(channel: Channel): void {
    const [last] = pinned(channel);
    world.changes.emit({
      t: 'CHANNEL_PINS_UPDATE',
      d: {
        channel_id: channel.id,
        ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
        last_pin_timestamp: last === undefined ? null : new Date(last.pinnedAtMs).toISOString(),
      },
      ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
      channelId: channel.id,
      intents:
        channel.guildId === null ? GatewayIntentBits.DirectMessages : GatewayIntentBits.Guilds,
    });
  }

  return routes;
}

/** The latest first. */
function pinned({ messages }: Channel): (Message & { pinnedAtMs: number })[] {
  return [...messages.values()]
    .flatMap((one) => (one.pinnedAtMs === null ? [] : { ...one, pinnedAtMs: one.pinnedAtMs }))
    .sort((a, b) => b.pinnedAtMs - a.pinnedAtMs);
}
