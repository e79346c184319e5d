import { attempt } from '../acts.ts';
import { setNow } from '../clock.ts';
import { faceOf, isPinged } from '../messages/message.ts';
import { plain } from '../messages/markdown.ts';
import { countInThread, keepMessage, keepStarter, readCommands } from '../messages/room.ts';
import { leaveLostChannel, readAll, readChannels, readCommunity } from './session.ts';
import { channelOf, isNewer, type Message, nameOf, redraw, state } from './state.ts';
import { toast } from '../layout/toasts.ts';
import { addPing, seenIn } from './unread.ts';
import { say } from '../words.ts';

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

/** Lets a part of the page hear of something in the same stream. */
export function hear(event: string, handle: (data: never) => void): void {
  others.push([event, handle]);
}

/** One stream, of what the acting member may see. */
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
  on('message', onMessage);
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

function onMessage(message: Message): void {
  const channel = channelOf(message.channel_id);
  const isNew = isNewer(message.id, channel?.last_message_id ?? '0');
  if (channel !== undefined && isNew) channel.last_message_id = message.id;
  const here = message.channel_id === state.channelId;
  if (isNew) countInThread(message.channel_id);
  keepStarter(message);
  if (here) keepMessage(message);
  if (isNew && isNewer(message.id, seenIn(message.channel_id)) && !here && isPinged(message)) {
    addPing(message.channel_id);
    tellOf(message);
  } else if (isNew && here && isPinged(message) && message.author.id !== state.me) {
    tellOf(message);
  }
  redraw();
}

function tellOf(message: Message): void {
  const channel = `#${channelOf(message.channel_id)?.name ?? ''}`;
  toast({
    text: say('mentioned', { name: nameOf(message.author.id), channel }),
    under: plain(message.content),
    face: faceOf(message.author.id),
    href: `#${message.channel_id}/${message.id}`,
  });
}
