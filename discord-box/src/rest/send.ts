import { MessageFlags, MessageType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { completeComponents } from '../forms/component-form.ts';
import { type MessageForm, zMessage } from '../forms/message-form.ts';
import { createMessage, editMessage } from '../messages/change-message.ts';
import type { Channel } from '../model/channel.ts';
import type { Json, Message } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { may, maySend } from '../world/permissions.ts';
import { isSnowflake } from '../model/snowflakes.ts';
import { needPermission, refuseLocked } from './access.ts';
import { toAttachments, type Upload } from './body.ts';
import { refuse } from './errors.ts';
import { formError, parseForm } from './parse-form.ts';

/** How long a nonce is remembered: Discord says "a few minutes". */
const NONCE_WINDOW_MS = 3 * 60_000;

const MAX_FILE_BYTES = 10_485_760;

export type Draft = { form: MessageForm; files: Upload[] };

export function readDraft(body: Json, files: Upload[]): Draft {
  const form = parseForm(zMessage, body);
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

/** Refuses what the guild's automatic moderation or Discord's own filter of links holds back. */
function refuseFiltered(world: World, { guildId }: Channel, content: string): void {
  const { blockedWords = [] } = world.guilds.get(guildId ?? '') ?? {};
  if (blockedWords.some((word) => content.includes(word))) throw refuse('blockedByAutoMod');
  for (const host of world.harmfulHosts) {
    if (content.includes(`://${host}`)) throw refuse('harmfulLink');
  }
}

/** The bot's own message in a channel. A repeated enforced nonce gives the first message again. */
export function sendMessage(world: World, channel: Channel, draft: Draft): Message {
  const { botId } = world.application;
  const { form, files } = draft;
  if (!maySend(world, channel, botId)) throw refuse('missingPermissions');
  if (channel.thread?.archived === true && channel.thread.locked) throw refuse('threadArchived');
  refuseLocked(world, channel);
  if (channel.guildId === null && !sharesGuild(world, channel)) throw refuse('noMutualGuild');
  refuseFiltered(world, channel, form.content ?? '');
  if ((form.embeds ?? []).length > 0) needPermission(world, channel, P.EmbedLinks);
  if (files.length > 0) needPermission(world, channel, P.AttachFiles);
  refuseEmpty(draft);
  const first = form.enforce_nonce === true ? withNonce(world, form.nonce) : undefined;
  if (first !== undefined) return first;
  const replyTo = form.message_reference?.message_id ?? null;
  if (replyTo !== null) {
    if (!may(world, channel, botId, P.ReadMessageHistory)) throw refuse('mayNotReply');
    const missing = !channel.messages.has(replyTo);
    if (missing && form.message_reference?.fail_if_not_exists !== false) {
      throw formError([
        {
          path: ['message_reference'],
          code: 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE',
          message: 'Unknown message',
        },
      ]);
    }
  }
  const kept = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications;
  return createMessage(world, channel, {
    ...contents(world, draft),
    authorId: botId,
    type: replyTo === null ? MessageType.Default : MessageType.Reply,
    flags: (form.flags ?? 0) & kept,
    replyTo,
    nonce: form.nonce ?? null,
  });
}

export function refuseEmpty({ form, files }: Draft): void {
  const parts = (form.embeds?.length ?? 0) + (form.components?.length ?? 0) + files.length;
  if ((form.content ?? '').trim() === '' && parts === 0) throw refuse('emptyMessage');
}

/** What a draft puts into a new message. */
export function contents(world: World, { form, files }: Draft) {
  const embeds = (form.embeds ?? []).map(({ fields, ...embed }) => ({
    ...embed,
    ...(fields ? { fields: fields.map((field) => ({ inline: false, ...field })) } : {}),
  }));
  return {
    content: (form.content ?? '').trim(),
    embeds: embeds as Json[],
    components: completeComponents(form.components ?? []),
    attachments: toAttachments(files, form.attachments ?? [], () => world.snowflake()),
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
  const fresh = contents(world, draft);
  const kept =
    form.attachments === undefined || form.attachments === null
      ? message.attachments
      : message.attachments.filter((file) =>
          form.attachments?.some((entry) => String(entry.id) === file.id),
        );
  const flags =
    form.flags === undefined || form.flags === null
      ? message.flags
      : (message.flags & ~MessageFlags.SuppressEmbeds) | (form.flags & MessageFlags.SuppressEmbeds);
  const embeds = form.embeds === undefined ? message.embeds : fresh.embeds;
  const components = form.components === undefined ? message.components : fresh.components;
  const content = form.content === undefined ? message.content : fresh.content;
  const attachments = [...kept, ...fresh.attachments];
  if (content === '' && embeds.length + components.length + attachments.length === 0) {
    throw refuse('emptyMessage');
  }
  refuseFiltered(world, channel, content);
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
