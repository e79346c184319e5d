import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { Channel } from '../model/channel.ts';
import type { Emoji } from '../model/message.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import type { World } from '../model/world.ts';
import { may } from './permissions.ts';

/**
 * Whether a member can use an emoji there: a standard one; one of the guild; one of another guild of
 * the member, with a permission of its own. `unknown`: the member has no such emoji.
 */
export function canUse(
  world: World,
  channel: Channel,
  userId: Snowflake,
  { id }: Emoji,
): 'yes' | 'unknown' | 'forbidden' {
  if (id === null) return 'yes';
  const home = [...world.guilds.values()].find(
    ({ emojis, members }) => emojis.has(id) && members.has(userId),
  );
  if (home === undefined) return 'unknown';
  const isForeign = channel.guildId !== null && home.id !== channel.guildId;
  return isForeign && !may(world, channel, userId, P.UseExternalEmojis) ? 'forbidden' : 'yes';
}
