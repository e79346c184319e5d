import type { APIMessage, Message } from 'discord.js';

/** A message as it reads: a forward is empty itself, and holds what it forwards. */
export function readable(
  message: Pick<Message, 'content' | 'embeds' | 'messageSnapshots'>,
): Pick<Message, 'content' | 'embeds'> {
  const forwarded = message.content === '' ? message.messageSnapshots.first() : undefined;
  return {
    content: forwarded?.content ?? message.content,
    embeds: forwarded?.embeds ?? message.embeds,
  };
}

/** The same of a message from the API. */
export function readablePayload(message: APIMessage): Pick<APIMessage, 'content' | 'embeds'> {
  const forwarded = message.content === '' ? message.message_snapshots?.[0]?.message : undefined;
  return forwarded ?? message;
}
