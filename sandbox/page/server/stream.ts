import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { messagePayload } from '../../../discord-box/src/world/messages/message-payload.ts';
import type { Json } from '../../../discord-box/src/model/message.ts';
import type { World } from '../../../discord-box/src/model/world.ts';
import type { Change } from '../../../discord-box/src/model/changes.ts';
import { mayRead } from '../../../discord-box/src/world/permissions.ts';
import type { Snowflake } from '../../../discord-box/src/model/snowflakes.ts';

/** Where a member's stream is, by the member's id. */
const PATH = /^\/sandbox\/as\/(\d+)\/events$/;

/** The streams of events of all open pages. */
type Streams = {
  /** Takes the WebSocket that a page asks for. Closes it where there is no such member. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  stop: () => void;
};

/** WebSockets, since a browser keeps only six other connections to one address for all its tabs. */
export function openStreams(world: World): Streams {
  const server = new WebSocketServer({ noServer: true });
  return {
    upgrade: (request, socket, head) => {
      const userId = PATH.exec(request.url ?? '')?.[1] ?? '';
      if (!world.users.has(userId)) return void socket.destroy();
      server.handleUpgrade(request, socket, head, (page) => void streamTo(world, userId, page));
    },
    stop: () => {
      for (const page of server.clients) page.terminate();
      server.close();
    },
  };
}

/**
 * The event stream of one member's page. Few kinds, each holding a state and not a step:
 * `message` (as it now stands for this member), `deleted` ({channel_id, ids}), `channels` and
 * `community` (read them again), `commands`, `interaction`, `bot` ({online}), `clock`, `request`, and
 * whatever else is emitted as `BOX_<NAME>` or `SANDBOX_<NAME>`.
 * What a later event of the same kind replaces is sent once: a crowd's thousand votes are few events.
 */
async function streamTo(world: World, userId: Snowflake, page: WebSocket): Promise<void> {
  /** By what replaces it, in the order of the latest. */
  const waiting = new Map<string, PageEvent>([['hello', { event: 'hello', data: () => ({}) }]]);
  let number = 0;
  let wake: (() => void) | undefined;
  const stop = world.changes.listen((change) => {
    const event = toEvent(world, userId, change);
    if (event === undefined) return;
    number += 1;
    const key = event.replaces ?? String(number);
    waiting.delete(key);
    waiting.set(key, event);
    wake?.();
  });
  page.on('close', () => wake?.());
  page.on('error', () => page.terminate());
  while (page.readyState === page.OPEN) {
    const [next] = waiting;
    if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
    else {
      const [key, event] = next;
      waiting.delete(key);
      const text = JSON.stringify({ event: event.event, data: event.data() });
      // The next one is made when this one is on its way.
      await new Promise((resolve) => page.send(text, resolve));
    }
  }
  stop();
}

type PageEvent = {
  event: string;
  /** Events with the same name here are one. */
  replaces?: string;
  /** Made when it is sent, so that it is the state by then. */
  data(): Json;
};

const EACH_COUNTS = ['interaction', 'request'];

function toEvent(world: World, userId: Snowflake, change: Change): PageEvent | undefined {
  const { t, d } = change;
  if (change.onlyFor !== undefined && change.onlyFor !== userId) return undefined;
  // What the sandbox or the panel tells of itself.
  const own = /^(?:BOX|SANDBOX)_(\w+)$/.exec(t)?.[1]?.toLowerCase();
  if (own !== undefined) {
    return { event: own, data: () => d, ...(EACH_COUNTS.includes(own) ? {} : { replaces: own }) };
  }
  if (/^GUILD_(?:MEMBER|ROLE)_/.test(t)) return read('community');
  if (/^(?:CHANNEL|THREAD|GUILD)_/.test(t)) return read('channels');
  const channel = world.channels.get(change.channelId ?? '');
  if (channel === undefined || !mayRead(world, channel, userId)) return undefined;
  if (t === 'MESSAGE_DELETE' || t === 'MESSAGE_DELETE_BULK') {
    const data = { channel_id: channel.id, ids: d['ids'] ?? [d['id']] };
    return { event: 'deleted', data: () => data };
  }
  if (!t.startsWith('MESSAGE_')) return undefined;
  const message = channel.messages.get(String(d['message_id'] ?? d['id']));
  if (message === undefined) return undefined;
  return {
    event: 'message',
    replaces: message.id,
    data: () => messagePayload(world, message, { viewerId: userId }),
  };
}

function read(event: string): PageEvent {
  return { event, replaces: event, data: () => ({}) };
}
