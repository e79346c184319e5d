/** What the gateway tells of reactions, and of messages that go. */

import { z } from 'zod';
import { zSnowflake } from '../../runtime/snowflake.ts';
import { reactionOf } from '../vote-emoji.ts';

const zChannel = z.object({ guild_id: zSnowflake, channel_id: zSnowflake });
export type ChannelPacket = z.infer<typeof zChannel>;
/** All reactions of a message go. */
export const zCleared = zChannel.extend({ message_id: zSnowflake });
/** A server's own emoji has an id, and no name when it was deleted. */
const zEmoji = z
  .object({ id: zSnowflake.nullish(), name: z.string().nullish() })
  .transform(({ id, name }) => reactionOf({ id: id ?? null, name: name ?? null }));
/** All reactions of one emoji go. */
export const zEmojiCleared = zCleared.extend({ emoji: zEmoji });
export const zReaction = zEmojiCleared.extend({
  user_id: zSnowflake,
  burst: z.boolean().default(false),
});
export const zReactionAdded = zReaction.extend({
  message_author_id: zSnowflake.optional(),
  member: z
    .object({
      user: z.object({ bot: z.boolean().optional() }).optional(),
      joined_at: z.string().nullish(),
      roles: z.array(zSnowflake).optional(),
    })
    .optional(),
});
export const zDeleted = zChannel.extend({ id: zSnowflake });
export const zDeletedInBulk = zChannel.extend({ ids: z.array(zSnowflake) });
