import { ChannelType, MessageType } from 'discord-api-types/v10';
import { createMessage, type NewMessage, touchMessage } from './change-message.ts';
import type { Channel } from '../../model/channel.ts';
import type { Message } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { type Snowflake, snowflakeMs } from '../../model/snowflakes.ts';
import { changeChannel, createChannel } from '../channels/change-channel.ts';

type NewThread = {
  name: string;
  ownerId: Snowflake;
  private?: boolean;
  autoArchiveMinutes?: number;
  /** Of a thread that began at a message; now by default. */
  startedAtMs?: number;
  appliedTagIds?: Snowflake[];
  slowmodeSeconds?: number;
  invitable?: boolean;
};

const MINUTE_MS = 60_000;

/** A thread in which nobody wrote for as long as it says archives itself. */
export function archiveIfIdle(world: World, channel: Channel): void {
  const { thread, lastMessageId } = channel;
  if (thread === null || thread.archived) return;
  const writtenAtMs = lastMessageId === null ? 0 : snowflakeMs(lastMessageId);
  const activeAtMs = Math.max(writtenAtMs, thread.archiveChangedAtMs);
  if (world.clock.now() - activeAtMs < thread.autoArchiveMinutes * MINUTE_MS) return;
  changeChannel(world, channel, { thread: { archived: true } });
}

export function publicThreadType({ type }: Channel): ChannelType {
  const isAnnouncement = type === ChannelType.GuildAnnouncement;
  return isAnnouncement ? ChannelType.AnnouncementThread : ChannelType.PublicThread;
}

function startThread(
  world: World,
  parent: Channel,
  given: NewThread & { id?: Snowflake },
): Channel {
  return createChannel(world, {
    ...(given.id === undefined ? {} : { id: given.id }),
    type: given.private === true ? ChannelType.PrivateThread : publicThreadType(parent),
    guildId: parent.guildId,
    parentId: parent.id,
    name: given.name,
    appliedTagIds: given.appliedTagIds ?? [],
    slowmodeSeconds: given.slowmodeSeconds ?? firstSlowmode(parent),
    thread: {
      ownerId: given.ownerId,
      archived: false,
      locked: false,
      autoArchiveMinutes: given.autoArchiveMinutes ?? 4320,
      createdAtMs: world.clock.now(),
      archiveChangedAtMs: world.clock.now(),
      memberIds: new Set([given.ownerId]),
      invitable: given.invitable ?? true,
      pinned: false,
    },
  });
}

/** What the channel sets for its new threads; a later change does not reach them. */
function firstSlowmode({ settings }: Channel): number {
  return Number(settings['default_thread_rate_limit_per_user'] ?? 0);
}

/** A thread without a message. A public one is announced in the channel by a message that refers to it. */
export function startThreadAlone(world: World, parent: Channel, given: NewThread): Channel {
  const thread = startThread(world, parent, given);
  if (given.private === true) return thread;
  createMessage(world, parent, {
    authorId: given.ownerId,
    type: MessageType.ThreadCreated,
    content: given.name,
    threadId: thread.id,
  });
  return thread;
}

/** A thread that grows from a message has the message's id. */
export function startThreadFrom(
  world: World,
  parent: Channel,
  message: Message,
  given: NewThread,
): Channel {
  const thread = startThread(world, parent, { ...given, id: message.id });
  createMessage(world, thread, {
    id: world.snowflake(given.startedAtMs),
    authorId: message.authorId,
    type: MessageType.ThreadStarterMessage,
  });
  message.threadId = thread.id;
  touchMessage(world, parent, message);
  return thread;
}

/** A forum post: a thread whose first message has the thread's id. */
export function startPost(
  world: World,
  forum: Channel,
  given: NewThread,
  first: Omit<NewMessage, 'authorId'>,
): { thread: Channel; message: Message } {
  const thread = startThread(world, forum, given);
  const message = createMessage(world, thread, {
    ...first,
    id: thread.id,
    authorId: given.ownerId,
  });
  return { thread, message };
}
