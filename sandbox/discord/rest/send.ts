import { MessageFlags, MessageType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type MessageForm, zMessage } from '../forms/message-form.ts';
import { createMessage, editMessage } from '../messages/change-message.ts';
import type { Channel } from '../model/channel.ts';
import type { Json, Message } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { maySend } from '../world/permissions.ts';
import { needPermission } from './access.ts';
import { toAttachments, type Upload } from './body.ts';
import { refuse } from './errors.ts';
import { formError, parseForm } from './parse-form.ts';

/** How long a nonce is remembered: Discord says "a few minutes". */
const NONCE_WINDOW_MS = 3 * 60_000;

export type Draft = { form: MessageForm; files: Upload[] };

export function readDraft(body: Json, files: Upload[]): Draft {
  const form = parseForm(zMessage, body);
  const modern = ((form.flags ?? 0) & MessageFlags.IsComponentsV2) !== 0;
  if (modern && (form.content || (form.embeds ?? []).length > 0)) {
    throw formError([
      {
        path: [form.content ? 'content' : 'embeds'],
        code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
        message: 'The field cannot be used when using MessageFlags.IS_COMPONENTS_V2',
      },
    ]);
  }
  if (files.length > 10) {
    throw formError([
      { path: ['files'], code: 'BASE_TYPE_MAX_LENGTH', message: 'Too many files.' },
    ]);
  }
  return { form, files };
}

/** The bot's own message in a channel. A repeated enforced nonce gives the first message again. */
export function sendMessage(world: World, channel: Channel, draft: Draft): Message {
  const { botId } = world.application;
  const { form, files } = draft;
  if (!maySend(world, channel, botId)) throw refuse('missingPermissions');
  if (channel.thread?.archived === true && channel.thread.locked) throw refuse('threadArchived');
  if ((form.embeds ?? []).length > 0) needPermission(world, channel, P.EmbedLinks);
  if (files.length > 0) needPermission(world, channel, P.AttachFiles);
  refuseEmpty(draft);
  const first = form.enforce_nonce === true ? withNonce(world, channel, form.nonce) : undefined;
  if (first !== undefined) return first;
  const replyTo = form.message_reference?.message_id ?? null;
  if (replyTo !== null) {
    needPermission(world, channel, P.ReadMessageHistory);
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
    flags: (form.flags ?? 0) & (kept | MessageFlags.IsComponentsV2),
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
  const embeds = (form.embeds ?? []).map((embed) => ({ type: 'rich', ...embed }));
  return {
    content: (form.content ?? '').trim(),
    embeds: embeds as Json[],
    components: (form.components ?? []) as Json[],
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
  const switchable = MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2;
  const flags =
    form.flags === undefined || form.flags === null
      ? message.flags
      : (message.flags & ~MessageFlags.SuppressEmbeds) | (form.flags & switchable);
  const embeds = form.embeds === undefined ? message.embeds : fresh.embeds;
  const components = form.components === undefined ? message.components : fresh.components;
  const content = form.content === undefined ? message.content : fresh.content;
  const attachments = [...kept, ...fresh.attachments];
  if (content === '' && embeds.length + components.length + attachments.length === 0) {
    throw refuse('emptyMessage');
  }
  const allowedMentions = form.allowed_mentions ?? undefined;
  const edit = { content, embeds, components, attachments, flags };
  editMessage(world, channel, message, { ...edit, allowedMentions, silent });
}

function withNonce(
  world: World,
  channel: Channel,
  nonce: string | number | null | undefined,
): Message | undefined {
  if (nonce === undefined || nonce === null) return undefined;
  const since = BigInt(world.snowflake(world.clock.now() - NONCE_WINDOW_MS));
  for (const id of channel.messageIds.toReversed()) {
    if (BigInt(id) < since) return undefined;
    const message = channel.messages.get(id);
    const own = message?.authorId === world.application.botId;
    if (own && String(message.nonce) === String(nonce)) return message;
  }
  return undefined;
}
