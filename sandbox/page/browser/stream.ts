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

/** After this time, a refused stream is asked for again, and that of a page which nobody looks at is closed. */
const AGAIN_AFTER_MS = 2000;
const CLOSED_AFTER_MS = 5000;

let stream: EventSource | undefined;
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
  const opened = new EventSource(`/sandbox/as/${state.me}/events`);
  stream = opened;
  const inTurn = (handle: () => void): void => {
    const handleIt = (): void => {
      if (stream === opened) handle();
    };
    handled = handled.then(readingsEnd).then(handleIt).catch(reportError);
  };
  const listenFor = (event: string, handle: (data: never) => void): void =>
    opened.addEventListener(event, ({ data }) =>
      inTurn(() => handle(JSON.parse(data as string) as never)),
    );
  const on = <Name extends keyof Events>(event: Name, handle: (data: Events[Name]) => void): void =>
    listenFor(event, handle);
  on('hello', () => void readAll());
  opened.addEventListener('error', () =>
    inTurn(() => {
      state.botOnline = false;
      redraw();
      // Where nobody answers, the browser asks again by itself. Another sandbox may know no such member.
      if (opened.readyState === EventSource.CLOSED) setTimeout(reopen, AGAIN_AFTER_MS, opened);
    }),
  );
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
  // At once: a time is right at the moment when it is told.
  opened.addEventListener('clock', ({ data }) => {
    const { nowMs } = JSON.parse(data as string) as Events['clock'];
    if (stream === opened) setNow(nowMs);
  });
  for (const [event, handle] of others) {
    listenFor(event, (data) => {
      handle(data);
      redraw();
    });
  }
}

/** Finds out who is there now, and listens as somebody who is. */
async function reopen(closed: EventSource): Promise<void> {
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

/**
 * Listens only while somebody looks, since a browser has six connections for all tabs of one address: the
 * seventh tab would wait for ever.
 */
export function listenWhileSeen(): void {
  let closing: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(closing);
    if (document.hidden) {
      closing = setTimeout(() => {
        stream?.close();
        stream = undefined;
      }, CLOSED_AFTER_MS);
    } else if (stream === undefined) listen();
  });
  listen();
}
