import type { Forwarded, Message } from '../../model/message.ts';
import { snowflakeMs } from '../../model/snowflakes.ts';

/** A copy that later changes of the message do not reach. Of a forward, what it forwards is copied. */
export function snapshotOf(message: Message): Forwarded {
  const { id: messageId, channelId, guildId, forwarded } = message;
  if (forwarded !== null) return { ...forwarded, messageId, channelId, guildId };
  const { type, content, embeds, previews, components, attachments, flags, pings } = message;
  return {
    messageId,
    channelId,
    guildId,
    snapshot: {
      ...structuredClone({
        type,
        content,
        embeds,
        previews,
        components,
        attachments,
        flags,
        pings,
      }),
      sentAtMs: snowflakeMs(message.id),
      editedAtMs: message.editedAtMs,
    },
  };
}
