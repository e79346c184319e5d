import type { GuildTextBasedChannel } from 'discord.js';
import { nonceOf } from '../../discord/requests/requests.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** Replies to a message with what belongs to one of its links, and pings nobody. Returns the reply's id. */
export async function replyBeside(
  { id, channel }: { id: Snowflake; channel: GuildTextBasedChannel },
  content: string,
  { canonical }: { canonical: string },
): Promise<Snowflake> {
  const sent = await channel.send({
    content,
    reply: { messageReference: id, failIfNotExists: false },
    allowedMentions: { parse: [], repliedUser: false },
    // With the nonce, a repeated request after a lost answer creates no second message. Another link has another.
    nonce: nonceOf(id, canonical),
    enforceNonce: true,
  });
  return sent.id;
}
