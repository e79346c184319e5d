import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Change } from '../world/changes.ts';
import type { Json } from '../world/message.ts';
import { messagePayload } from '../world/message-payload.ts';
import { mayView } from '../world/permissions.ts';
import type { Snowflake } from '../world/snowflakes.ts';
import type { World } from '../world/world.ts';

/**
 * The event stream of one member's page. Few kinds, each holding a state and not a step:
 * `message` (as it now stands for this member), `deleted` ({channel_id, ids}), `channels` (read the
 * list again), `commands`, `interaction`, `bot` ({online}).
 */
export function streamTo(world: World, userId: Snowflake, context: Context): Response {
  return streamSSE(context, async (stream) => {
    const waiting: PageEvent[] = [];
    let wake: (() => void) | undefined;
    const stop = world.changes.listen((change) => {
      const event = toEvent(world, userId, change);
      if (event === undefined) return;
      waiting.push(event);
      wake?.();
    });
    stream.onAbort(() => {
      stop();
      wake?.();
    });
    await stream.writeSSE({ event: 'hello', data: '{}' });
    while (!stream.aborted) {
      const next = waiting.shift();
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else await stream.writeSSE({ event: next.event, data: JSON.stringify(next.data) });
    }
  });
}

type PageEvent = { event: string; data: Json };

function toEvent(world: World, userId: Snowflake, change: Change): PageEvent | undefined {
  const { t, d } = change;
  if (change.onlyFor !== undefined && change.onlyFor !== userId) return undefined;
  if (t === 'SANDBOX_INTERACTION') return { event: 'interaction', data: d };
  if (t === 'SANDBOX_COMMANDS') return { event: 'commands', data: {} };
  if (t === 'SANDBOX_BOT') return { event: 'bot', data: d };
  if (/^(?:CHANNEL|THREAD|GUILD)_/.test(t)) return { event: 'channels', data: {} };
  const channel = world.channels.get(change.channelId ?? '');
  if (channel === undefined || !mayView(world, channel, userId)) return undefined;
  if (t === 'MESSAGE_DELETE' || t === 'MESSAGE_DELETE_BULK') {
    return { event: 'deleted', data: { channel_id: channel.id, ids: d['ids'] ?? [d['id']] } };
  }
  if (!t.startsWith('MESSAGE_')) return undefined;
  const message = channel.messages.get(String(d['message_id'] ?? d['id']));
  if (message === undefined) return undefined;
  return { event: 'message', data: messagePayload(world, message, { viewerId: userId }) };
}
