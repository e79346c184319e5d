import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { Channel } from '../model/channel.ts';
import type { Guild } from '../model/guild.ts';
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
  if (id === null || world.ownEmojis.has(id)) return 'yes';
  const home = homeOf(world, userId, id);
  if (home === undefined) return 'unknown';
  const isForeign = channel.guildId !== null && home.id !== channel.guildId;
  return isForeign && !may(world, channel, userId, P.UseExternalEmojis) ? 'forbidden' : 'yes';
}

/** A guild of the member that has the emoji. */
function homeOf(world: World, userId: Snowflake, emoji: Snowflake): Guild | undefined {
  return [...world.guilds.values()].find(
    ({ emojis, members }) => emojis.has(emoji) && members.has(userId),
  );
}

/** An emoji as a reaction tells it: a deleted one keeps its id alone. */
export function emojiOfReaction(world: World, { id, name }: Emoji): Record<string, string | null> {
  const isThere =
    id === null ||
    world.ownEmojis.has(id) ||
    [...world.guilds.values()].some(({ emojis }) => emojis.has(id));
  return { id, name: isThere ? name : null };
}

/** Whether the bot can name a custom emoji in what it sends: its application's, or one of its guilds'. */
export function botHasEmoji(world: World, emoji: Snowflake): boolean {
  return world.ownEmojis.has(emoji) || homeOf(world, world.application.botId, emoji) !== undefined;
}
