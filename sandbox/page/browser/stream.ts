import { attemptUnasked } from './acts.ts';
import { get, readingsEnd } from './state/api.ts';
import { setNow } from './state/clock.ts';
import { keepMessage, keepStarter, readCommands } from './messages/room.ts';
import { leaveLostChannel, readAll, readChannels, readCommunity } from './session.ts';
import { type Message, redraw, state } from './state/state.ts';

type Events = {
  hello: object;
  message: Message;
  deleted: { channel_id: string; ids: string[] };
  channels: object;
  community: object;
  commands: object;
  bot: { online: boolean };
  clock: { nowMs: number };
};

/** After this time, a stream that was refused or lost is asked for again. */
const AGAIN_AFTER_MS = 2000;

let stream: WebSocket | undefined;
const others: [event: string, handle: (data: never) => void][] = [];

/** Settled once every event so far is handled: one after the other, and none before a reading that it overtook. */
let handled = Promise.resolve();

/** Calls a handler for an event of the stream. */
export function hear(event: string, handle: (data: never) => void): void {
  others.push([event, handle]);
}

/** Opens the stream of events that the acting member may see. */
export function listen(): void {
  stream?.close();
  // Older browsers want a whole address.
  const opened = new WebSocket(`ws://${location.host}/sandbox/as/${state.me}/events`);
  stream = opened;
  const handlers = new Map<string, (data: never) => void>();
  const on = <Name extends keyof Events>(
    event: Name,
    handle: (data: Events[Name]) => void,
  ): unknown => handlers.set(event, handle);
  const inTurn = (handle: () => void): void => {
    const handleIt = (): void => {
      if (stream === opened) handle();
    };
    handled = handled.then(readingsEnd).then(handleIt).catch(reportError);
  };
  opened.addEventListener('message', ({ data: text }) => {
    const { event, data } = JSON.parse(text as string) as { event: string; data: never };
    const handle = handlers.get(event);
    if (handle === undefined || stream !== opened) return;
    // At once: a time is right at the moment when it is told.
    if (event === 'clock') handle(data);
    else inTurn(() => handle(data));
  });
  opened.addEventListener('close', () =>
    inTurn(() => {
      state.botOnline = false;
      redraw();
      setTimeout(reopen, AGAIN_AFTER_MS, opened);
    }),
  );
  on('hello', () => void readAll());
  on('message', (message) => {
    keepStarter(message);
    if (message.channel_id === state.channelId) keepMessage(message);
    redraw();
  });
  on('deleted', ({ channel_id: channelId, ids }) => {
    if (channelId !== state.channelId) return;
    for (const id of ids) state.messages.delete(id);
    redraw();
  });
  on('channels', () => {
    void attemptUnasked(async () => {
      await readChannels();
      await leaveLostChannel();
    });
  });
  on('community', () => void attemptUnasked(readCommunity));
  on('commands', () => void attemptUnasked(readCommands));
  on('bot', ({ online }) => {
    state.botOnline = online;
    redraw();
  });
  on('clock', ({ nowMs }) => setNow(nowMs));
  for (const [event, handle] of others) {
    const before = handlers.get(event);
    handlers.set(event, (data) => {
      before?.(data);
      handle(data);
      redraw();
    });
  }
}

/** Finds out who is there now, and listens as somebody who is. */
async function reopen(closed: WebSocket): Promise<void> {
  if (stream !== closed) return;
  try {
    // A sandbox that waits for its first visitor has no community yet, and a page of its own.
    const { guilds } = await get<{ guilds?: object[] }>('community');
    if (guilds === undefined) return location.reload();
    await readCommunity();
    if (stream === closed) listen();
  } catch {
    setTimeout(reopen, AGAIN_AFTER_MS, closed);
  }
}
