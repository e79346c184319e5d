import {
  type APIMessage,
  ChannelType,
  MessageFlags,
  MessageType,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import { changeChannel, openDirectMessages } from '../world/channels/change-channel.ts';
import { changeThreadMembers } from '../world/messages/thread-members.ts';
import {
  archiveIfIdle,
  startPost,
  startThreadAlone,
  startThreadFrom,
} from '../world/messages/threads.ts';
import { commandPayload, commandsFor } from '../world/interactions/stored-commands.ts';
import {
  createMessage,
  deleteEphemeral,
  deleteMessages,
  editMessage,
  touchMessage,
} from '../world/messages/change-message.ts';
import { setInterest } from '../world/guilds/scheduled-events.ts';
import { enterVoice, isFull, leaveVoice, type OwnVoice } from '../world/voice.ts';
import { isHeldBack } from '../world/guilds/automod.ts';
import { snapshotOf } from '../world/messages/forward.ts';
import { messagePayload } from '../world/messages/message-payload.ts';
import { votePoll } from '../world/messages/polls.ts';
import { parseEmoji } from '../forms/emoji.ts';
import { addReaction, emojiKey, removeReaction } from '../world/messages/reactions.ts';
import { type Channel, holdsMessages, holdsThreads, isVoice } from '../model/channel.ts';
import type { Json, Message } from '../model/message.ts';
import type { Emoji } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { canUse } from '../world/known-emoji.ts';
import { may, mayRead, maySend, mayView } from '../world/permissions.ts';
import { type Snowflake, snowflakeMs } from '../model/snowflakes.ts';
import { type Answer, answerTo, choicesOf } from './answer.ts';
import type { OptionValues } from './command-options.ts';
import {
  invokeCompletion,
  invokeOnMessage,
  invokeOnUser,
  invokeSlash,
  type Place,
} from './invoke-command.ts';
import { ActorError } from './actor-error.ts';
import { type FormValues, invokeComponent, invokeModal } from './use-component.ts';

/** What one member can do. Everything obeys the member's permissions and throws an `ActorError`. */
export type Actor = {
  userId: Snowflake;
  /** Channels, threads and direct messages that the member sees. */
  channels(): Channel[];
  /** What the member reads there, oldest first, its own ephemeral messages among them. */
  messages(channelId: Snowflake, limit?: number): APIMessage[];
  send(channelId: Snowflake, content: string, replyTo?: Snowflake | null): APIMessage;
  /** Sends a copy of a message from any channel that the member reads. */
  forward(toChannelId: Snowflake, fromChannelId: Snowflake, messageId: Snowflake): APIMessage;
  edit(channelId: Snowflake, messageId: Snowflake, content: string): void;
  delete(channelId: Snowflake, messageId: Snowflake): void;
  /** Takes all embeds and previews from a message, as the ✕ beside them does. */
  suppressEmbeds(channelId: Snowflake, messageId: Snowflake): void;
  /** Closes an ephemeral message. */
  dismiss(channelId: Snowflake, messageId: Snowflake): void;
  react(channelId: Snowflake, messageId: Snowflake, emoji: string, burst?: boolean): boolean;
  unreact(channelId: Snowflake, messageId: Snowflake, emoji: string, burst?: boolean): boolean;
  /** Chooses these answers of a poll, by their numbers from 1; none takes the vote back. */
  votePoll(channelId: Snowflake, messageId: Snowflake, answers: readonly number[]): void;
  commands(channelId: Snowflake): Json[];
  /** `words` such as `top` or `group add`. Resolves with what the member sees. */
  command(channelId: Snowflake, words: string, values?: OptionValues): Promise<Answer>;
  complete(
    channelId: Snowflake,
    words: string,
    focused: string,
    values?: OptionValues,
  ): Promise<{ name: string; value: string | number }[]>;
  messageCommand(channelId: Snowflake, messageId: Snowflake, name: string): Promise<Answer>;
  userCommand(channelId: Snowflake, target: Snowflake, name: string): Promise<Answer>;
  press(channelId: Snowflake, messageId: Snowflake, customId: string): Promise<Answer>;
  choose(
    channelId: Snowflake,
    messageId: Snowflake,
    customId: string,
    values: string[],
  ): Promise<Answer>;
  /** Submits the form that an interaction, named by its id, was answered with. */
  submit(interactionId: Snowflake, fields: FormValues): Promise<Answer>;
  startThread(channelId: Snowflake, name: string, more?: ThreadOptions): Channel;
  post(forumId: Snowflake, name: string, content: string): Channel;
  archive(threadId: Snowflake, archived: boolean): void;
  directMessages(): Channel;
  /** Joins a voice or stage channel, moves there, or changes what others hear and see of the member. */
  joinVoice(channelId: Snowflake, own?: OwnVoice): void;
  leaveVoice(channelId: Snowflake): void;
  /** Says of a scheduled event that the member will come, or takes that back. */
  follow(eventId: Snowflake, interested?: boolean): void;
  /** Sets the language of the member's own client. */
  speak(locale: string): void;
};

type ThreadOptions = { from?: Snowflake; private?: boolean };

export function actAs(world: World, userId: Snowflake): Actor {
  const reach = (channelId: Snowflake): Channel => {
    const channel = world.channels.get(channelId);
    if (channel === undefined || !mayView(world, channel, userId)) {
      throw new ActorError('You cannot see this channel.');
    }
    archiveIfIdle(world, channel);
    return channel;
  };
  const reachMessages = (channelId: Snowflake): Channel => {
    const channel = reach(channelId);
    if (!mayRead(world, channel, userId)) throw new ActorError('You cannot read this channel.');
    return channel;
  };
  const need = (channel: Channel, wanted: bigint, what: string): void => {
    if (!may(world, channel, userId, wanted)) throw new ActorError(`You may not ${what} here.`);
  };
  const find = (channel: Channel, messageId: Snowflake): Message => {
    const message = channel.messages.get(messageId);
    if (message === undefined || (message.onlyFor !== null && message.onlyFor !== userId)) {
      throw new ActorError('There is no such message.');
    }
    return message;
  };
  const show = (message: Message): APIMessage =>
    messagePayload(world, message, { viewerId: userId }) as unknown as APIMessage;
  const see = () =>
    world.membersTakeMs > 0
      ? new Promise((resolve) => setTimeout(resolve, world.membersTakeMs))
      : undefined;
  const refuseHeldBack = (channel: Channel, content: string): void => {
    if (isHeldBack(world, channel, userId, content)) {
      throw new ActorError('Automatic moderation held this message back.');
    }
  };
  const place = (channelId: Snowflake): Place => ({
    world,
    channel: reachMessages(channelId),
    userId,
  });

  return {
    userId,
    channels: () => [...world.channels.values()].filter((one) => mayView(world, one, userId)),
    messages: (channelId, limit = 50) => {
      const channel = reachMessages(channelId);
      const readable = may(world, channel, userId, P.ReadMessageHistory);
      const seen = channel.messageIds
        .flatMap((id) => channel.messages.get(id) ?? [])
        .filter((one) => (one.onlyFor === null ? readable : one.onlyFor === userId));
      return seen.slice(-limit).map(show);
    },
    send: (channelId, content, replyTo = null) => {
      const channel = reachMessages(channelId);
      if (!holdsMessages(channel) || !maySend(world, channel, userId)) {
        throw new ActorError('You may not send messages here.');
      }
      if (channel.thread?.locked === true) need(channel, P.ManageThreads, 'write');
      if (content.trim() === '' || content.length > 2000) {
        throw new ActorError('A message has between 1 and 2000 characters.');
      }
      refuseTooSoon(world, channel, userId);
      refuseHeldBack(channel, content);
      // Who writes in a thread has joined it.
      changeThreadMembers(world, channel, userId, true);
      if (replyTo !== null) find(channel, replyTo);
      const type = replyTo === null ? MessageType.Default : MessageType.Reply;
      return show(createMessage(world, channel, { authorId: userId, content, type, replyTo }));
    },
    forward: (toChannelId, fromChannelId, messageId) => {
      const channel = reachMessages(toChannelId);
      if (!holdsMessages(channel) || !maySend(world, channel, userId)) {
        throw new ActorError('You may not send messages here.');
      }
      const forwarded = snapshotOf(find(reachMessages(fromChannelId), messageId));
      const flags = MessageFlags.HasSnapshot;
      return show(createMessage(world, channel, { authorId: userId, forwarded, flags }));
    },
    edit: (channelId, messageId, content) => {
      const channel = reachMessages(channelId);
      const message = find(channel, messageId);
      if (message.authorId !== userId) throw new ActorError('This is not your message.');
      needOpen(channel);
      refuseHeldBack(channel, content);
      editMessage(world, channel, message, { content });
    },
    delete: (channelId, messageId) => {
      const channel = reachMessages(channelId);
      const message = find(channel, messageId);
      if (message.authorId !== userId) need(channel, P.ManageMessages, "delete others' messages");
      deleteMessages(world, channel, [messageId]);
    },
    suppressEmbeds: (channelId, messageId) => {
      const channel = reachMessages(channelId);
      const message = find(channel, messageId);
      if (message.authorId !== userId) need(channel, P.ManageMessages, 'remove embeds');
      message.flags |= MessageFlags.SuppressEmbeds;
      touchMessage(world, channel, message);
    },
    dismiss: (channelId, messageId) => {
      const channel = reachMessages(channelId);
      const message = find(channel, messageId);
      if (message.onlyFor === userId) deleteEphemeral(world, channel, message);
    },
    react: (channelId, messageId, emoji, burst = false) => {
      const channel = reachMessages(channelId);
      const message = find(channel, messageId);
      const parsed = emojiOf(emoji);
      needOpen(channel);
      need(channel, P.ReadMessageHistory, 'react');
      // Joining a reaction that is already there needs no permission to add one.
      if (!message.reactions.has(emojiKey(parsed))) {
        need(channel, P.AddReactions, 'add reactions');
        if (canUse(world, channel, userId, parsed) !== 'yes') {
          throw new ActorError('You do not have this emoji here.');
        }
      }
      return addReaction(world, channel, message, userId, parsed, burst);
    },
    unreact: (channelId, messageId, emoji, burst = false) => {
      const channel = reachMessages(channelId);
      needOpen(channel);
      const message = find(channel, messageId);
      return removeReaction(world, channel, message, userId, emojiOf(emoji), burst);
    },
    votePoll: (channelId, messageId, answers) => {
      const channel = reachMessages(channelId);
      const message = find(channel, messageId);
      if (message.poll === null || message.poll.isOver)
        throw new ActorError('There is no open poll.');
      if (answers.length > 1 && !message.poll.manyAnswers) {
        throw new ActorError('This poll takes one answer.');
      }
      votePoll(world, channel, message, message.poll, userId, answers);
    },
    commands: (channelId) =>
      commandsFor(world, reachMessages(channelId), userId).map((one) =>
        commandPayload(world, one, true),
      ),
    command: async (channelId, words, values = {}) =>
      answerTo(world, invokeSlash(place(channelId), words, values)),
    complete: async (channelId, words, focused, values = {}) =>
      choicesOf(world, invokeCompletion(place(channelId), words, values, focused)),
    messageCommand: async (channelId, messageId, name) => {
      const at = place(channelId);
      return answerTo(world, invokeOnMessage(at, name, find(at.channel, messageId)));
    },
    userCommand: async (channelId, target, name) =>
      answerTo(world, invokeOnUser(place(channelId), name, target)),
    press: async (channelId, messageId, customId) => {
      await see();
      const at = place(channelId);
      return answerTo(world, invokeComponent(at, find(at.channel, messageId), customId));
    },
    choose: async (channelId, messageId, customId, values) => {
      await see();
      const at = place(channelId);
      return answerTo(world, invokeComponent(at, find(at.channel, messageId), customId, values));
    },
    submit: async (interactionId, fields) => {
      await see();
      const opened = world.interactions.get(interactionId);
      if (opened === undefined || opened.userId !== userId)
        throw new ActorError('No form is open.');
      return answerTo(world, invokeModal(place(opened.channelId), opened, fields));
    },
    startThread: (channelId, name, { from, private: hidden = false } = {}) => {
      const channel = reach(channelId);
      if (!holdsThreads(channel)) throw new ActorError('There are no threads here.');
      need(channel, hidden ? P.CreatePrivateThreads : P.CreatePublicThreads, 'start threads');
      const given = { name, ownerId: userId, private: hidden };
      return from === undefined
        ? startThreadAlone(world, channel, given)
        : startThreadFrom(world, channel, find(channel, from), given);
    },
    post: (forumId, name, content) => {
      const forum = reach(forumId);
      if (forum.type !== ChannelType.GuildForum || !maySend(world, forum, userId)) {
        throw new ActorError('You may not post here.');
      }
      return startPost(world, forum, { name, ownerId: userId }, { content }).thread;
    },
    archive: (threadId, archived) => {
      const thread = reach(threadId);
      if (thread.thread?.ownerId !== userId) need(thread, P.ManageThreads, 'archive threads');
      changeChannel(world, thread, { thread: { archived } });
    },
    directMessages: () => openDirectMessages(world, userId),
    joinVoice: (channelId, own) => {
      const channel = reach(channelId);
      const guild = world.guilds.get(channel.guildId ?? '');
      if (guild === undefined || !isVoice(channel)) throw new ActorError('Nobody talks here.');
      need(channel, P.Connect, 'connect');
      const isThere = guild.voiceStates.get(userId)?.channelId === channelId;
      if (!isThere && isFull(guild, channel)) need(channel, P.MoveMembers, 'join a full channel');
      enterVoice(world, guild, userId, channel, own);
    },
    leaveVoice: (channelId) => {
      const guild = world.guilds.get(reach(channelId).guildId ?? '');
      if (guild?.voiceStates.get(userId)?.channelId !== channelId) {
        throw new ActorError('You are not in this channel.');
      }
      leaveVoice(world, guild, userId);
    },
    follow: (eventId, interested = true) => {
      const guild = [...world.guilds.values()].find(({ events }) => events.has(eventId));
      const event = guild?.events.get(eventId);
      if (guild?.members.has(userId) !== true || event === undefined) {
        throw new ActorError('There is no such event.');
      }
      setInterest(world, guild, event, userId, interested);
    },
    speak: (locale) => {
      const user = world.users.get(userId);
      if (user !== undefined) user.locale = locale;
      world.changes.emit({ t: 'BOX_COMMUNITY', d: {}, intents: 0, pageOnly: true });
    },
  };
}

/** Slowmode: a member waits between two messages. */
function refuseTooSoon(world: World, channel: Channel, userId: Snowflake): void {
  if (channel.slowmodeSeconds === 0 || may(world, channel, userId, P.BypassSlowmode)) return;
  const since = world.clock.now() - channel.slowmodeSeconds * 1000;
  const wroteLately = channel.messageIds.some(
    (id) => channel.messages.get(id)?.authorId === userId && snowflakeMs(id) > since,
  );
  if (wroteLately) throw new ActorError('Slowmode is on: you wrote a moment ago.');
}

function needOpen(channel: Channel): void {
  if (channel.thread?.archived === true) throw new ActorError('This thread is archived.');
}

function emojiOf(text: string): Emoji {
  const emoji = parseEmoji(text);
  if (emoji === undefined) throw new ActorError('This is no emoji.');
  return emoji;
}
