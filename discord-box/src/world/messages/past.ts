import { type Channel } from '../../model/channel.ts';
import type { Emoji, Message } from '../../model/message.ts';
import { compareIds, type Snowflake } from '../../model/snowflakes.ts';

// Some responses of Discord lag behind its gateway: they show messages and reactions as they were a moment
// ago. Times here are the process's own, because a lag is no matter of Discord's clock.

/** The longest lag that can be asked for. */
const KEPT_MS = 30_000;

type ReactionChange = {
  atMs: number;
  emoji: Emoji;
  userId: Snowflake;
  burst: boolean;
  added: boolean;
};

const reactionChanges = new WeakMap<Message, ReactionChange[]>();
const createdAtMs = new WeakMap<Message, number>();
const deletions = new WeakMap<Channel, { atMs: number; message: Message }[]>();

function note<K extends object, T extends { atMs: number }>(
  changes: WeakMap<K, T[]>,
  of: K,
  change: T,
): void {
  const known = changes.get(of) ?? [];
  if (known.length === 0) changes.set(of, known);
  while (known[0] !== undefined && known[0].atMs < change.atMs - KEPT_MS) known.shift();
  known.push(change);
}

export function noteReaction(message: Message, change: Omit<ReactionChange, 'atMs'>): void {
  note(reactionChanges, message, { ...change, atMs: performance.now() });
}

export function noteCreated(message: Message): void {
  createdAtMs.set(message, performance.now());
}

export function noteDeleted(channel: Channel, message: Message): void {
  note(deletions, channel, { message, atMs: performance.now() });
}

/** The channel's messages with their reactions, as they were `staleMs` ago. */
export function channelInPast(channel: Channel, staleMs: number): Channel {
  const thenMs = performance.now() - staleMs;
  const gone = (deletions.get(channel) ?? []).filter(({ atMs }) => atMs > thenMs);
  const present = [...channel.messages.values(), ...gone.map(({ message }) => message)];
  const messages = new Map(
    present
      .filter((message) => (createdAtMs.get(message) ?? 0) <= thenMs)
      .map((message) => [message.id, messageInPast(message, thenMs)]),
  );
  return { ...channel, messages, messageIds: [...messages.keys()].sort(compareIds) };
}

function messageInPast(message: Message, thenMs: number): Message {
  const later = (reactionChanges.get(message) ?? []).filter(({ atMs }) => atMs > thenMs);
  if (later.length === 0) return message;
  const reactions = new Map(
    [...message.reactions].map(([key, { emoji, normal, burst }]) => [
      key,
      { emoji, normal: new Set(normal), burst: new Set(burst) },
    ]),
  );
  for (const { emoji, userId, burst, added } of later.toReversed()) {
    const key = emoji.id ?? emoji.name;
    const reaction = reactions.get(key) ?? { emoji, normal: new Set(), burst: new Set() };
    const list = burst ? reaction.burst : reaction.normal;
    if (added) list.delete(userId);
    else list.add(userId);
    if (reaction.normal.size + reaction.burst.size === 0) reactions.delete(key);
    else reactions.set(key, reaction);
  }
  return { ...message, reactions };
}
