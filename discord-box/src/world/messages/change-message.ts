import { GatewayIntentBits, MessageFlags, MessageType } from 'discord-api-types/v10';
import { changeChannel } from '../channels/change-channel.ts';
import type { Channel } from '../../model/channel.ts';
import type { Json, Message, Preview } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { compareIds, type Snowflake } from '../../model/snowflakes.ts';
import { mayView } from '../permissions.ts';
import { previewedLinks } from './links.ts';
import { type AllowedMentions, pingsOf } from './mentions.ts';
import { messagePayload } from './message-payload.ts';
import { noteCreated, noteDeleted } from './past.ts';
import { changeThreadMembers } from './thread-members.ts';

export type NewMessage = Partial<
  Omit<Message, 'pings' | 'reactions' | 'channelId' | 'guildId' | 'editedAtMs'>
> & { authorId: Snowflake; allowedMentions?: AllowedMentions | undefined };

/** Puts a message into a channel. Rights and limits have been looked at before. */
export function createMessage(world: World, channel: Channel, message: NewMessage): Message {
  const { allowedMentions, ...given } = message;
  const created: Message = {
    id: world.snowflake(),
    channelId: channel.id,
    guildId: channel.guildId,
    type: MessageType.Default,
    content: '',
    embeds: [],
    previews: [],
    components: [],
    attachments: [],
    stickerIds: [],
    tts: false,
    flags: 0,
    editedAtMs: null,
    replyTo: null,
    threadId: null,
    forwarded: null,
    origin: null,
    poll: null,
    pinnedAtMs: null,
    nonce: null,
    webhook: null,
    interaction: null,
    command: null,
    onlyFor: null,
    ...given,
    pings: { userIds: [], roleIds: [], everyone: false },
    reactions: new Map(),
  };
  created.pings = pingsOf(world, channel, created, allowedMentions);
  const ids = channel.messageIds;
  let place = ids.length;
  while (place > 0 && compareIds(ids[place - 1] ?? '', created.id) > 0) place -= 1;
  ids.splice(place, 0, created.id);
  channel.messages.set(created.id, created);
  noteCreated(created);
  if (created.poll !== null) world.openPolls.set(created.id, channel.id);
  if (created.onlyFor === null) channel.lastMessageId = ids[ids.length - 1] ?? created.id;
  if (channel.thread?.archived === true && created.onlyFor === null) {
    changeChannel(world, channel, { thread: { archived: false } });
  }
  addMentioned(world, channel, created);
  emitMessage(world, channel, 'MESSAGE_CREATE', created);
  return created;
}

type MessageEdit = Partial<
  Pick<Message, 'content' | 'embeds' | 'components' | 'attachments' | 'flags'>
> & { allowedMentions?: AllowedMentions | undefined; silent?: boolean };

export function editMessage(
  world: World,
  channel: Channel,
  message: Message,
  edit: MessageEdit,
): void {
  const { allowedMentions, silent, ...change } = edit;
  Object.assign(message, change);
  // An edit keeps the previews of the links that it keeps.
  const links = previewedLinks(message.content);
  message.previews = message.previews.filter(({ link }) => links.includes(link));
  message.flags &= ~MessageFlags.Loading;
  if (silent !== true) message.editedAtMs = world.clock.now();
  message.pings = pingsOf(world, channel, message, allowedMentions);
  addMentioned(world, channel, message);
  emitMessage(world, channel, 'MESSAGE_UPDATE', message);
  for (const copy of copiesOf(world, message)) {
    const { content, embeds, components, attachments } = message;
    const shown = { content, embeds, components, attachments };
    editMessage(world, copy.channel, copy.message, { ...shown, allowedMentions: { parse: [] } });
  }
}

/** What stands of a published message in the channels that follow its own. */
function copiesOf(world: World, published: Message): { channel: Channel; message: Message }[] {
  if ((published.flags & MessageFlags.Crossposted) === 0) return [];
  return [...world.webhooks.values()].flatMap(({ followedId, channelId }) => {
    const channel = world.channels.get(channelId);
    if (followedId !== published.channelId || channel === undefined) return [];
    return [...channel.messages.values()]
      .filter(({ origin }) => origin?.messageId === published.id)
      .map((message) => ({ channel, message }));
  });
}

/** Brings a message to the channels that follow its own. Nobody is pinged there. */
export function publishMessage(world: World, channel: Channel, published: Message): void {
  published.flags |= MessageFlags.Crossposted;
  touchMessage(world, channel, published);
  const { id, content, embeds, components, attachments, guildId } = published;
  for (const webhook of world.webhooks.values()) {
    const target = world.channels.get(webhook.channelId);
    if (webhook.followedId !== channel.id || target === undefined) continue;
    createMessage(world, target, {
      content,
      embeds,
      components,
      attachments,
      authorId: webhook.id,
      webhook: { id: webhook.id, name: webhook.name },
      origin: { messageId: id, channelId: channel.id, guildId },
      flags: MessageFlags.IsCrosspost | (published.flags & MessageFlags.SuppressEmbeds),
      allowedMentions: { parse: [] },
    });
  }
}

/** Who is mentioned in a thread is in it from then on; by an edit, without being told. */
function addMentioned(world: World, channel: Channel, { pings, onlyFor }: Message): void {
  const parent = world.channels.get(channel.parentId ?? '');
  if (channel.thread === null || parent === undefined || onlyFor !== null) return;
  for (const userId of pings.userIds) {
    if (mayView(world, parent, userId)) changeThreadMembers(world, channel, userId, true);
  }
}

/** Tells of a message anew that Discord itself has changed. This is no edit. */
export function touchMessage(world: World, channel: Channel, message: Message): void {
  emitMessage(world, channel, 'MESSAGE_UPDATE', message);
}

/** Sets what Discord found at the message's links. */
export function setPreviews(
  world: World,
  channel: Channel,
  message: Message,
  previews: Preview[],
): void {
  message.previews = previews;
  touchMessage(world, channel, message);
}

/** `inBulk`: told as one event, also for a single message. */
export function deleteMessages(
  world: World,
  channel: Channel,
  ids: Snowflake[],
  inBulk = ids.length > 1,
): Snowflake[] {
  const gone = ids.filter((id) => channel.messages.get(id)?.onlyFor === null);
  const copies = gone.flatMap((id) => copiesOf(world, channel.messages.get(id)!));
  remove(channel, gone);
  for (const { channel: target, message } of copies) {
    message.flags |= MessageFlags.SourceMessageDeleted;
    const left = { embeds: [], components: [], attachments: [] };
    editMessage(world, target, message, { ...left, content: '[Original Message Deleted]' });
  }
  if (gone.length === 0) return gone;
  const where = {
    channel_id: channel.id,
    ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
  };
  emit(
    world,
    channel,
    !inBulk
      ? { t: 'MESSAGE_DELETE', d: { id: gone[0], ...where } }
      : { t: 'MESSAGE_DELETE_BULK', d: { ids: gone, ...where } },
  );
  return gone;
}

/** An ephemeral message goes without an event for the bot; only its reader's page is told. */
export function deleteEphemeral(world: World, channel: Channel, message: Message): void {
  remove(channel, [message.id]);
  const d = { id: message.id, channel_id: channel.id };
  emit(world, channel, { t: 'MESSAGE_DELETE', d }, message);
}

function remove(channel: Channel, ids: Snowflake[]): void {
  const gone = new Set(ids);
  for (const id of gone) {
    const message = channel.messages.get(id);
    if (message) noteDeleted(channel, message);
    channel.messages.delete(id);
  }
  channel.messageIds = channel.messageIds.filter((id) => !gone.has(id));
}

/** Tells what changed about a message; without the intent, its content is left out. */
function emitMessage(world: World, channel: Channel, t: string, message: Message): void {
  const d = messagePayload(world, message, { event: true });
  const withoutContent = messagePayload(world, message, { event: true, withoutContent: true });
  emit(world, channel, { t, d, withoutContent }, message);
}

function emit(
  world: World,
  channel: Channel,
  change: { t: string; d: Json; withoutContent?: Json },
  message?: Message,
): void {
  world.changes.emit({
    ...change,
    ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
    channelId: channel.id,
    ...(message === undefined || message.onlyFor === null
      ? {}
      : { onlyFor: message.onlyFor, pageOnly: true }),
    intents:
      channel.guildId === null ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages,
  });
}
