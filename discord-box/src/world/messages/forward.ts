import type { Forwarded, Message } from '../../model/message.ts';
import { snowflakeMs } from '../../model/snowflakes.ts';

/** A copy that later changes of the message do not reach. */
export function snapshotOf(message: Message): Forwarded {
  const { type, content, embeds, previews, components, attachments, flags, pings } = message;
  return {
    messageId: message.id,
    channelId: message.channelId,
    guildId: message.guildId,
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
