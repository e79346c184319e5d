import type { NonThreadGuildBasedChannel } from 'discord.js';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { App } from '../app.ts';
import { cleanLine } from '../text/clean.ts';
import { limits } from '../discord/limits.ts';
import { groupName, groupsOf, isListed } from '../discord/access/visibility.ts';

/**
 * A guild's public data: its name, locale and listed groups. Null for a guild that this process does
 * not serve.
 */
export function communityOf(
  { client }: Pick<App, 'client'>,
  id: Snowflake,
): {
  name: string;
  locale: string;
  groups: { id: Snowflake; name: string }[];
} | null {
  const guild = client.guilds.cache.get(id);
  if (!guild?.available) return null;
  const ordered = groupsOf(guild)
    .filter(isListed)
    .sort((a, b) => positionOf(a) - positionOf(b));
  return {
    name: cleanLine(guild.name, limits.nameLength) || guild.id,
    locale: guild.preferredLocale,
    groups: ordered.map((group) => ({ id: group.id, name: groupName(group) })),
  };
}

/** Discord's order: channels without a category first, then by category and position. */
function positionOf(channel: NonThreadGuildBasedChannel): number {
  const category = channel.parent === null ? -1 : channel.parent.rawPosition;
  return category * 1000 + ('rawPosition' in channel ? channel.rawPosition : 0);
}
