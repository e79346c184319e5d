import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { Channel } from '../model/channel.ts';
import type { Guild } from '../model/guild.ts';
import type { Emoji } from '../model/message.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import type { World } from '../model/world.ts';
import { may } from './permissions.ts';

/**
 * Whether a member can use an emoji there: a standard one; one of the guild; one of another guild of
 * the member, with a permission of its own. `unknown`: the member has no such emoji, or may not use it.
 */
export function canUse(
  world: World,
  channel: Channel,
  userId: Snowflake,
  { id }: Emoji,
): 'yes' | 'unknown' | 'forbidden' {
  if (id === null || world.ownEmojis.has(id)) return 'yes';
  const home = homeOf(world, userId, id);
  if (home === undefined || !isFor(world, home, userId, id)) return 'unknown';
  const isForeign = channel.guildId !== null && home.id !== channel.guildId;
  return isForeign && !may(world, channel, userId, P.UseExternalEmojis) ? 'forbidden' : 'yes';
}

/**
 * Whether an emoji of a member's guild is for that member. No bot is among the subscribers whose emoji name no roles
 * (discord.js issue 6366).
 */
function isFor(
  world: World,
  { emojis, members }: Guild,
  userId: Snowflake,
  id: Snowflake,
): boolean {
  const { roleIds = [], isUnavailable = false, managed = false } = emojis.get(id) ?? {};
  if (isUnavailable || (managed && world.users.get(userId)?.bot === true)) return false;
  const roles = members.get(userId)?.roleIds;
  return roleIds.length === 0 || roleIds.some((role) => roles?.has(role));
}

/** A guild of the member that has the emoji. */
function homeOf(world: World, userId: Snowflake, emoji: Snowflake): Guild | undefined {
  return [...world.guilds.values()].find(
    ({ emojis, members }) => emojis.has(emoji) && members.has(userId),
  );
}

/** An emoji as a reaction tells it: by its name of now, whatever it was called; a deleted one keeps its id alone. */
export function emojiOfReaction(world: World, { id, name }: Emoji): Record<string, string | null> {
  if (id === null) return { id, name };
  const ofGuild = [...world.guilds.values()].find(({ emojis }) => emojis.has(id));
  const known = world.ownEmojis.get(id) ?? ofGuild?.emojis.get(id);
  return { id, name: known?.name ?? null };
}

/** Whether the bot can name a custom emoji in what it sends: its application's, or one of its guilds'. */
export function botHasEmoji(world: World, emoji: Snowflake): boolean {
  return world.ownEmojis.has(emoji) || homeOf(world, world.application.botId, emoji) !== undefined;
}
