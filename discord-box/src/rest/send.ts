import {
  MessageFlags,
  MessageReferenceType,
  MessageType,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import { completeComponents, emojisNamed } from '../forms/component-form.ts';
import { type MessageForm, messageForm } from '../forms/message-form.ts';
import { createMessage, editMessage } from '../world/messages/change-message.ts';
import { botHasEmoji } from '../world/known-emoji.ts';
import { snapshotOf } from '../world/messages/forward.ts';
import { filesNamed } from '../world/messages/shown-files.ts';
import type { Channel } from '../model/channel.ts';
import type { Attachment, Forwarded, Json, Message, Poll } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { may, maySend } from '../world/permissions.ts';
import { isSnowflake } from '../model/snowflakes.ts';
import {
  mayReadHistory,
  needPermission,
  reachMessage,
  reachMessages,
  refuseLocked,
} from './access.ts';
import { toAttachments, type Upload } from './body.ts';
import { refuse } from './errors.ts';
import { formError, parseForm } from './parse-form.ts';

/** How long a nonce is remembered: Discord says "a few minutes". */
export const NONCE_WINDOW_MS = 3 * 60_000;

const MAX_FILE_BYTES = 10_485_760;

export type Draft = { form: MessageForm; files: Upload[] };

/** `edited`: the message that it changes. */
export function readDraft(body: Json, files: Upload[], edited?: Message): Draft {
  const isLayout = ((edited?.flags ?? 0) & MessageFlags.IsComponentsV2) !== 0;
  const form = parseForm(messageForm(isLayout), body);
  if (files.length > 10) {
    throw formError([
      { path: ['files'], code: 'BASE_TYPE_MAX_LENGTH', message: 'Too many files.' },
    ]);
  }
  if (files.some(({ data }) => data.byteLength > MAX_FILE_BYTES)) throw refuse('tooLarge');
  const unknown = (form.attachments ?? []).findIndex(
    // A file that the message has already is named by its snowflake, a new one by its number.
    ({ id }) => !isSnowflake(String(id)) && !files.some(({ field }) => field === `files[${id}]`),
  );
  if (unknown >= 0) {
    const message = 'There is no such file.';
    throw formError([
      { path: ['attachments', String(unknown), 'id'], code: 'BASE_TYPE_CHOICES', message },
    ]);
  }
  return { form, files };
}

/** Whether the bot and the one it writes to are in a guild together. */
function sharesGuild(world: World, { recipientIds }: Channel): boolean {
  return [...world.guilds.values()].some(({ members }) =>
    recipientIds.every((id) => members.has(id)),
  );
}

/** Refuses what Discord's own filter of links holds back. A guild's automatic moderation lets every bot pass. */
function refuseHarmful(world: World, content: string, embeds: unknown): void {
  const text = JSON.stringify([content, embeds]);
  for (const host of world.harmfulHosts) {
    if (text.includes(`://${host}`)) throw refuse('harmfulLink');
  }
}

/** What the bot may not send there, or nobody may. */
export function refuseParts(world: World, channel: Channel, { form, files }: Draft): void {
  refuseHarmful(world, form.content ?? '', form.embeds);
  if ((form.embeds ?? []).length > 0) needPermission(world, channel, P.EmbedLinks);
  if (files.length > 0) needPermission(world, channel, P.AttachFiles);
  if (form.poll) needPermission(world, channel, P.SendPolls);
  if (form.tts === true) needPermission(world, channel, P.SendTTSMessages);
  refuseForeignStickers(world, channel, form.sticker_ids ?? []);
  if (((form.flags ?? 0) & MessageFlags.IsVoiceMessage) === 0) return;
  if (form.content || form.embeds?.length || form.components?.length || form.poll) {
    throw refuse('voiceMessageHasMore');
  }
  const isSound = files.every(({ contentType }) => contentType.startsWith('audio/'));
  if (files.length !== 1 || !isSound) throw refuse('voiceMessageLacksAudio');
}

/** The bot's own message in a channel. A repeated enforced nonce gives the first message again. */
export function sendMessage(world: World, channel: Channel, draft: Draft): Message {
  const { botId } = world.application;
  const { form } = draft;
  if (!maySend(world, channel, botId)) throw refuse('missingPermissions');
  if (channel.thread?.archived === true && channel.thread.locked) throw refuse('threadArchived');
  refuseLocked(world, channel);
  if (channel.guildId === null && !sharesGuild(world, channel)) throw refuse('noMutualGuild');
  if (channel.recipientIds.some((id) => world.closedToMessages.has(id))) {
    throw refuse('cannotMessageUser');
  }
  refuseParts(world, channel, draft);
  const forwarded = forwardOf(world, channel, draft);
  if (forwarded === null) refuseEmpty(draft);
  const first = form.enforce_nonce === true ? withNonce(world, form.nonce) : undefined;
  if (first !== undefined) return first;
  const named = forwarded === null ? (form.message_reference?.message_id ?? null) : null;
  // Without the message, what need not be a reply is none.
  const mayBeNone = form.message_reference?.fail_if_not_exists === false;
  const replyTo = named !== null && mayBeNone && !channel.messages.has(named) ? null : named;
  if (replyTo !== null) {
    if (!may(world, channel, botId, P.ReadMessageHistory)) throw refuse('mayNotReply');
    const repliedTo = channel.messages.get(replyTo);
    if (repliedTo !== undefined && isOfDiscord(repliedTo)) {
      const code = 'REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE';
      const message = 'Cannot reply to a system message';
      throw formError([{ path: ['message_reference'], code, message }]);
    }
    if (repliedTo === undefined && !mayBeNone) {
      throw formError([
        {
          path: ['message_reference'],
          code: 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE',
          message: 'Unknown message',
        },
      ]);
    }
  }
  const kept =
    MessageFlags.SuppressEmbeds |
    MessageFlags.SuppressNotifications |
    MessageFlags.IsVoiceMessage |
    MessageFlags.IsComponentsV2;
  return createMessage(world, channel, {
    ...contents(world, draft),
    authorId: botId,
    type: replyTo === null ? MessageType.Default : MessageType.Reply,
    flags: ((form.flags ?? 0) & kept) | (forwarded === null ? 0 : MessageFlags.HasSnapshot),
    replyTo,
    forwarded,
    nonce: form.nonce ?? null,
  });
}

/** Messages of Discord itself that nobody can reply to, such as that of a pin. */
function isOfDiscord({ type }: Message): boolean {
  return [
    MessageType.ChannelPinnedMessage,
    MessageType.ThreadCreated,
    MessageType.ThreadStarterMessage,
  ].includes(type);
}

/** What a draft forwards: a message that the bot can read, in whatever channel. */
function forwardOf(world: World, target: Channel, { form, files }: Draft): Forwarded | null {
  const { message_reference: reference } = form;
  if (reference?.type !== MessageReferenceType.Forward) return null;
  if (!reference.channel_id) {
    const path = ['message_reference', 'channel_id'];
    throw formError([{ path, code: 'BASE_TYPE_REQUIRED', message: 'This field is required' }]);
  }
  if (form.content || form.embeds?.length || form.poll || files.length > 0) {
    throw formError([
      {
        path: ['message_reference'],
        code: 'MESSAGE_FORWARD_HAS_ADDITIONAL_CONTENT',
        message: 'Forwarded messages can not have additional content',
      },
    ]);
  }
  const channel = reachMessages(world, reference.channel_id);
  if (!mayReadHistory(world, channel)) throw refuse('mayNotReference');
  if (isAgeRestricted(world, channel) && !isAgeRestricted(world, target)) {
    throw refuse('ageRestrictedReference');
  }
  const message = reachMessage(channel, reference.message_id);
  const { botId, privileged } = world.application;
  const mayReadContent = privileged.messageContent || message.guildId === null;
  if (!mayReadContent && message.authorId !== botId) throw refuse('unreadableForward');
  return snapshotOf(message);
}

/** A server's own stickers, or another's with a permission of its own. */
function refuseForeignStickers(world: World, channel: Channel, ids: readonly string[]): void {
  const { botId } = world.application;
  for (const id of ids) {
    const home = [...world.guilds.values()].find(
      ({ stickers, members }) => stickers.has(id) && members.has(botId),
    );
    if (home === undefined) throw refuse('invalidSticker');
    if (home.id !== channel.guildId) needPermission(world, channel, P.UseExternalStickers);
  }
}

/** A thread is as its channel. */
function isAgeRestricted(world: World, channel: Channel): boolean {
  const holder = channel.thread === null ? channel : world.channels.get(channel.parentId ?? '');
  return holder?.ageRestricted === true;
}

function toPoll(world: World, form: MessageForm): Poll | null {
  if (!form.poll) return null;
  const { question, answers, duration, allow_multiselect } = form.poll;
  return {
    question: question.text,
    answers: answers.map(({ poll_media: { text, emoji } }, at) => ({
      id: at + 1,
      text,
      emoji: emoji ? { id: emoji.id ?? null, name: emoji.name ?? null } : null,
      voterIds: new Set(),
    })),
    endsAtMs: world.clock.now() + duration * 3_600_000,
    isOver: false,
    manyAnswers: allow_multiselect,
  };
}

export function refuseEmpty({ form, files }: Draft): void {
  const parts =
    (form.embeds?.length ?? 0) +
    (form.components?.length ?? 0) +
    files.length +
    (form.sticker_ids?.length ?? 0) +
    (form.poll ? 1 : 0);
  if ((form.content ?? '').trim() === '' && parts === 0) throw refuse('emptyMessage');
}

/** A component shows files of its own message, and emoji that the bot has. */
function refuseUnknownParts(world: World, { form, files }: Draft, kept: Attachment[]): void {
  const filenames = new Set([...files, ...kept].map(({ filename }) => filename));
  const noFiles = filesNamed(form.components ?? [])
    .filter(({ filename }) => !filenames.has(filename))
    .map(({ path, filename }) => ({
      path: ['components', ...path],
      code: 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
      message: `The attachment ${filename} was not found.`,
    }));
  const noEmojis = emojisNamed(form.components ?? [])
    .filter(({ id }) => !botHasEmoji(world, id))
    .map(({ path }) => ({
      path: ['components', ...path],
      code: 'COMPONENT_INVALID_EMOJI',
      message: 'Invalid emoji',
    }));
  const found = [...noFiles, ...noEmojis];
  if (found.length > 0) throw formError(found);
}

/** What a draft puts into a new message, or into one that has these files. */
export function contents(world: World, draft: Draft, kept: Attachment[] = []) {
  const { form, files } = draft;
  refuseUnknownParts(world, draft, kept);
  const embeds = (form.embeds ?? []).map(({ fields, ...embed }) => ({
    ...embed,
    ...(fields ? { fields: fields.map((field) => ({ inline: false, ...field })) } : {}),
  }));
  return {
    content: (form.content ?? '').trim(),
    // As text, an embed has none of the fields that are left out.
    embeds: JSON.parse(JSON.stringify(embeds)) as Json[],
    components: completeComponents(form.components ?? []),
    attachments: toAttachments(files, form.attachments ?? [], () => world.snowflake()),
    poll: toPoll(world, form),
    stickerIds: form.sticker_ids ?? [],
    tts: form.tts ?? false,
    allowedMentions: form.allowed_mentions ?? undefined,
  };
}

/** Changes what the draft names and leaves the rest; `null` empties a field. */
export function applyEdit(
  world: World,
  channel: Channel,
  message: Message,
  draft: Draft,
  silent = false,
): void {
  const { form } = draft;
  if (message.poll !== null) throw refuse('pollEdited');
  if (message.forwarded !== null) throw refuse('forwardEdited');
  const fresh = contents(world, draft, message.attachments);
  const kept =
    form.attachments === undefined || form.attachments === null
      ? message.attachments
      : message.attachments.filter((file) =>
          form.attachments?.some((entry) => String(entry.id) === file.id),
        );
  const flags =
    form.flags === undefined || form.flags === null
      ? message.flags
      : (message.flags & ~MessageFlags.SuppressEmbeds) |
        (form.flags & (MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2));
  const embeds = form.embeds === undefined ? message.embeds : fresh.embeds;
  const components = form.components === undefined ? message.components : fresh.components;
  const content = form.content === undefined ? message.content : fresh.content;
  const attachments = [...kept, ...fresh.attachments];
  if (content === '' && embeds.length + components.length + attachments.length === 0) {
    throw refuse('emptyMessage');
  }
  refuseHarmful(world, content, embeds);
  const allowedMentions = form.allowed_mentions ?? undefined;
  const edit = { content, embeds, components, attachments, flags };
  editMessage(world, channel, message, { ...edit, allowedMentions, silent });
}

/** A nonce is the author's, whatever the channel. */
function withNonce(world: World, nonce: string | number | null | undefined): Message | undefined {
  if (nonce === undefined || nonce === null) return undefined;
  const since = BigInt(world.snowflake(world.clock.now() - NONCE_WINDOW_MS));
  for (const channel of world.channels.values()) {
    for (const id of channel.messageIds.toReversed()) {
      if (BigInt(id) < since) break;
      const message = channel.messages.get(id);
      const own = message?.authorId === world.application.botId;
      if (own && String(message.nonce) === String(nonce)) return message;
    }
  }
  return undefined;
}
