import type { Client, NonThreadGuildBasedChannel } from 'discord.js';
import type { Snowflake } from '../voting/snowflake.ts';
import { groupTypes, isListed } from './visibility.ts';

/** A guild as everyone may see it; null for one that this process does not serve. */
export function communityOf(
  client: Client,
  id: Snowflake,
): { name: string; locale: string; groups: { id: Snowflake; name: string }[] } | null {
  const guild = client.guilds.cache.get(id);
  if (!guild?.available) return null;
  const groups = guild.channels.cache.filter(
    (channel): channel is NonThreadGuildBasedChannel =>
      (groupTypes as readonly number[]).includes(channel.type) &&
      !channel.isThread() &&
      isListed(channel),
  );
  const ordered = [...groups.values()].sort((a, b) => placeOf(a) - placeOf(b));
  return {
    name: guild.name,
    locale: guild.preferredLocale,
    groups: ordered.map(({ id, name }) => ({ id, name })),
  };
}

/** As Discord shows them: by category, and within it by position; those without one first. */
function placeOf(channel: NonThreadGuildBasedChannel): number {
  const category = channel.parent === null ? -1 : channel.parent.rawPosition;
  return category * 1000 + ('rawPosition' in channel ? channel.rawPosition : 0);
}
