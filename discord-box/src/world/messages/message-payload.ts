import { MessageFlags, MessageReferenceType, MessageType } from 'discord-api-types/v10';
import { channelPayload } from '../channels/channel-payload.ts';
import { memberWithoutUser } from '../member-payload.ts';
import type { Channel } from '../../model/channel.ts';
import type { Attachment, Forwarded, Json, Message } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { snowflakeMs, type Snowflake } from '../../model/snowflakes.ts';
import { userPayload } from '../user-payload.ts';
import { pollPayload } from './poll-payload.ts';
import { reactionPayloads } from './reactions.ts';
import { showFiles } from './shown-files.ts';

export type View = {
  /** Whose `me` the reaction counts tell; the bot by default. */
  viewerId?: Snowflake;
  /** As an event: with the guild and the author's member. */
  event?: boolean;
  /** Leave out what only the message content intent shows, where it applies. */
  withoutContent?: boolean;
};

export function messagePayload(world: World, message: Message, view: View = {}): Json {
  const viewerId = view.viewerId ?? world.application.botId;
  const hidden = view.withoutContent === true && needsContentIntent(world, message);
  const guild = message.guildId === null ? undefined : world.guilds.get(message.guildId);
  const member = guild?.members.get(message.authorId);
  // Of whatever origin the embeds are.
  const suppressed = (message.flags & MessageFlags.SuppressEmbeds) !== 0;
  const reactions = world.uncounted.has(message.id)
    ? []
    : reactionPayloads(world, message, viewerId);
  const channel = world.channels.get(message.channelId);
  const grows = message.threadId !== null && message.type !== MessageType.ThreadCreated;
  const thread = grows ? world.channels.get(message.threadId ?? '') : undefined;
  const files = showFiles(message, (file) => attachmentPayload(world, message, file));
  const shown = [...message.embeds, ...message.components];
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    author:
      message.webhook === null
        ? userPayload(world, message.authorId)
        : webhookUser(world, message.webhook),
    content: hidden ? '' : message.content,
    timestamp: new Date(snowflakeMs(message.id)).toISOString(),
    edited_timestamp:
      message.editedAtMs === null ? null : new Date(message.editedAtMs).toISOString(),
    tts: message.tts,
    mention_everyone: message.pings.everyone,
    mentions: message.pings.userIds.map((id) => userPayload(world, id)),
    mention_roles: message.pings.roleIds,
    attachments: hidden
      ? []
      : files.apart(shown).map((file) => attachmentPayload(world, message, file)),
    embeds:
      hidden || suppressed ? [] : embedPayloads(world, message).map((part) => files.place(part)),
    components: hidden ? [] : message.components.map((part) => files.place(part)),
    flags: message.flags,
    pinned: message.pinnedAtMs !== null,
    ...(message.poll === null || hidden ? {} : { poll: pollPayload(message.poll, viewerId) }),
    ...(message.stickerIds.length === 0 ? {} : { sticker_items: stickerItems(world, message) }),
    ...(reactions.length > 0 ? { reactions } : {}),
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(message.webhook === null ? {} : { webhook_id: message.webhook.id }),
    ...(message.interaction === null
      ? {}
      : {
          application_id: world.application.id,
          webhook_id: world.application.id,
          interaction_metadata: message.interaction,
          ...(message.command === null ? {} : { interaction: usedCommand(message) }),
        }),
    ...referencePayload(world, message, channel, view),
    ...(thread === undefined ? {} : { thread: channelPayload(thread) }),
    ...(view.event === true && message.guildId !== null
      ? {
          guild_id: message.guildId,
          ...(member === undefined ? {} : { member: memberWithoutUser(member) }),
        }
      : {}),
  };
}

function stickerItems(world: World, { stickerIds }: Message): Json[] {
  const all = [...world.guilds.values()].flatMap(({ stickers }) => [...stickers.values()]);
  return all
    .filter(({ id }) => stickerIds.includes(id))
    .map(({ id, name, format }) => ({ id, name, format_type: format }));
}

/** A webhook writes as a user that there is not. */
function webhookUser(world: World, { id, name }: NonNullable<Message['webhook']>): Json {
  return { ...userPayload(world, id), username: name, discriminator: '0000', bot: true };
}

/** The message that is replied to, the one from which a thread began, or the thread that began. */
function referencePayload(
  world: World,
  message: Message,
  channel: Channel | undefined,
  view: View,
): Json {
  const { type, replyTo, channelId, guildId, threadId, forwarded, origin } = message;
  if (forwarded !== null) {
    const hidden = view.withoutContent === true && needsContentIntent(world, message);
    return forwardPayload(world, message, forwarded, hidden);
  }
  if (origin !== null) {
    return {
      message_reference: {
        type: MessageReferenceType.Default,
        channel_id: origin.channelId,
        ...(origin.messageId === null ? {} : { message_id: origin.messageId }),
        ...(origin.guildId === null ? {} : { guild_id: origin.guildId }),
      },
    };
  }
  if (type === MessageType.ThreadCreated) {
    const reference = { type: MessageReferenceType.Default, channel_id: threadId };
    return { message_reference: { ...reference, guild_id: guildId } };
  }
  const starts = type === MessageType.ThreadStarterMessage;
  const place = starts ? world.channels.get(channel?.parentId ?? '') : channel;
  const id = starts ? channelId : replyTo;
  if (id === null || place === undefined) return {};
  const found = place.messages.get(id);
  return {
    message_reference: {
      type: MessageReferenceType.Default,
      message_id: id,
      channel_id: place.id,
      ...(place.guildId === null ? {} : { guild_id: place.guildId }),
    },
    referenced_message:
      found === undefined
        ? null
        : messagePayload(
            world,
            { ...found, replyTo: null, threadId: null, reactions: new Map() },
            { ...view, event: false },
          ),
  };
}

/** A forward has no content of its own. Its copy has neither author nor id. */
function forwardPayload(
  world: World,
  message: Message,
  { messageId, channelId, guildId, snapshot }: Forwarded,
  hidden: boolean,
): Json {
  const { type, content, components, flags, pings, sentAtMs, editedAtMs } = snapshot;
  const suppressed = (flags & MessageFlags.SuppressEmbeds) !== 0;
  const { attachments } = snapshot;
  const files = showFiles({ id: message.id, attachments }, (file) =>
    attachmentPayload(world, message, file),
  );
  const shown = [...snapshot.embeds, ...components];
  return {
    message_reference: {
      type: MessageReferenceType.Forward,
      message_id: messageId,
      channel_id: channelId,
      ...(guildId === null ? {} : { guild_id: guildId }),
    },
    message_snapshots: [
      {
        message: {
          type,
          content: hidden ? '' : content,
          embeds:
            hidden || suppressed
              ? []
              : embedPayloads(world, snapshot).map((part) => files.place(part)),
          components: hidden ? [] : components.map((part) => files.place(part)),
          attachments: hidden
            ? []
            : files.apart(shown).map((file) => attachmentPayload(world, message, file)),
          timestamp: new Date(sentAtMs).toISOString(),
          edited_timestamp: editedAtMs === null ? null : new Date(editedAtMs).toISOString(),
          flags,
          mentions: pings.userIds.map((id) => userPayload(world, id)),
          mention_roles: pings.roleIds,
        },
      },
    ],
  };
}

/** The older form of the same, which alone has the command's name. */
function usedCommand({ interaction, command }: Message): Json {
  const { id, type, user } = interaction ?? {};
  return { id, type, user, name: command };
}

/** Its own messages, direct ones and those that mention it a bot reads without the intent. */
function needsContentIntent(world: World, message: Message): boolean {
  const { botId } = world.application;
  return (
    message.authorId !== botId && message.guildId !== null && !message.pings.userIds.includes(botId)
  );
}

function embedPayloads(
  world: World,
  { embeds, previews }: Pick<Message, 'embeds' | 'previews'>,
): Json[] {
  return [...embeds, ...previews.map(({ embed }) => embed)].map((embed) => {
    const pictures = ['image', 'thumbnail'].flatMap((place) => {
      const picture = embed[place] as { url: string } | null | undefined;
      if (!picture || world.web.picture(picture.url) === undefined) return [];
      // A client loads no picture from the page's own host.
      const proxy = `${world.address}/external/${encodeURIComponent(picture.url)}`;
      return [[place, { ...picture, proxy_url: proxy }]];
    });
    return { type: 'rich', ...embed, ...Object.fromEntries(pictures) };
  });
}

function attachmentPayload(world: World, message: Message, file: Attachment): Json {
  return filePayload(world, `attachments/${message.channelId}`, file);
}

/** A file that a member gave to a command. */
export function uploadPayload(world: World, file: Attachment): Json {
  const payload = filePayload(world, `ephemeral-attachments/${world.application.id}`, file);
  return { ...payload, ephemeral: true };
}

function filePayload(world: World, folder: string, file: Attachment): Json {
  const url = `${world.address}/${folder}/${file.id}/${encodeURIComponent(file.filename)}`;
  return {
    id: file.id,
    filename: file.filename,
    size: file.data.byteLength,
    content_type: file.contentType,
    url,
    proxy_url: url,
    ...(file.description === null ? {} : { description: file.description }),
  };
}
