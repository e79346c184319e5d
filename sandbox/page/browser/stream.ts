import { attempt } from './acts.ts';
import { setNow } from './state/clock.ts';
import { keepMessage, keepStarter, readCommands } from './messages/room.ts';
import { leaveLostChannel, readAll, readChannels, readCommunity } from './session.ts';
import { type Message, redraw, state } from './state/state.ts';

type Events = {
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

/** Calls a handler for an event of the stream. */
export function hear(event: string, handle: (data: never) => void): void {
  others.push([event, handle]);
}

/** Opens the stream of events that the acting member may see. */
export function listen(): void {
  stream?.close();
  const opened = new EventSource(`/sandbox/as/${state.me}/events`);
  stream = opened;
  const on = <Name extends keyof Events>(event: Name, handle: (data: Events[Name]) => void) =>
    opened.addEventListener(event, ({ data }) => handle(JSON.parse(data as string)));
  opened.addEventListener('hello', () => void readAll());
  opened.addEventListener('error', () => {
    state.botOnline = false;
    redraw();
  });
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
    opened.addEventListener(event, ({ data }) => {
      handle(JSON.parse(data as string) as never);
      redraw();
    });
  }
}
