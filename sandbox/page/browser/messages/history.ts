import { get } from '../api.ts';
import { isNewer, type Message, state } from '../state/state.ts';

/** As many as the sandbox gives at once. */
const PAGE_LENGTH = 50;
/** Of a longer part, the end that is out of sight is left. */
const KEPT = 200;

/** What `state.messages` holds of the open channel: a part without gaps. */
export const part = {
  /** Of another channel nothing is left, and of this one nothing is here yet. */
  reading: true,
  hasOlder: false,
  hasNewer: false,
};

/** Reads the newest messages of a channel, or those around one of them. */
export async function readPart(channel: string, around: string): Promise<void> {
  const messages = await read(channel, around === '' ? '' : `&around=${around}`);
  if (state.channelId !== channel) return;
  state.messages = new Map(messages.map((message) => [message.id, message]));
  part.reading = false;
  const [first] = messages;
  const last = messages.at(-1);
  // A whole page has more before it, perhaps none.
  part.hasOlder = around === '' ? messages.length >= PAGE_LENGTH : first !== undefined;
  part.hasNewer = around !== '' && last !== undefined && (await hasAfter(channel, last.id));
}

/** Reads further in one direction. Resolves to whether there was anything. */
export async function readMore(towards: 'older' | 'newer'): Promise<boolean> {
  const channel = state.channelId;
  const ordered = inOrder();
  const edge = towards === 'older' ? ordered[0] : ordered.at(-1);
  const isMore = towards === 'older' ? part.hasOlder : part.hasNewer;
  if (part.reading || !isMore || edge === undefined) return false;
  part.reading = true;
  try {
    const side = towards === 'older' ? 'before' : 'after';
    const found = await read(channel, `&${side}=${edge.id}`);
    if (state.channelId !== channel) return false;
    for (const message of found) state.messages.set(message.id, message);
    if (towards === 'older') part.hasOlder = found.length === PAGE_LENGTH;
    else part.hasNewer = found.length === PAGE_LENGTH;
    leaveFarEnd(towards);
    return found.length > 0;
  } finally {
    if (state.channelId === channel) part.reading = false;
  }
}

/** Keeps a message as it now stands. Returns whether it is one more at the end. */
export function keep(message: Message): boolean {
  const known = state.messages.has(message.id);
  const newest = inOrder().at(-1);
  const isNew = !known && (newest === undefined || isNewer(message.id, newest.id));
  // A message outside the part is read when one scrolls there.
  if (known || (isNew && !part.hasNewer)) state.messages.set(message.id, message);
  return isNew;
}

export function inOrder(): Message[] {
  return [...state.messages.values()].sort((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
}

function leaveFarEnd(towards: 'older' | 'newer'): void {
  const ordered = inOrder();
  const over = Math.max(0, ordered.length - KEPT);
  if (over === 0) return;
  const left = towards === 'older' ? ordered.slice(-over) : ordered.slice(0, over);
  for (const { id } of left) state.messages.delete(id);
  if (towards === 'older') part.hasNewer = true;
  else part.hasOlder = true;
}

async function hasAfter(channel: string, id: string): Promise<boolean> {
  return (await read(channel, `&after=${id}`)).length > 0;
}

function read(channel: string, where: string): Promise<Message[]> {
  return get<Message[]>(`as/${state.me}/messages?channel=${channel}${where}`);
}
