import { attempt } from './acts.ts';
import { readingsEnd } from './state/api.ts';
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
    void attempt(async () => {
      await readChannels();
      await leaveLostChannel();
    });
  });
  on('community', () => void attempt(readCommunity));
  on('commands', () => void attempt(readCommands));
  on('bot', ({ online }) => {
    state.botOnline = online;
    redraw();
  });
  on('clock', ({ nowMs }) => setNow(nowMs));
  for (const [event, handle] of others) {
    listenFor(event, (data) => {
      handle(data);
      redraw();
    });
  }
}
