import type { Client, GuildTextBasedChannel } from 'discord.js';
import type { NonThreadGuildBasedChannel } from 'discord.js';
import { isGroup, type Rules } from '../community/guild-rules.ts';
import { homeIn, isListed } from '../discord/access/visibility.ts';
import { VOTING_OPEN_MS } from '../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';

/** Where a link can become an article: the channel of its message, and the group of that. */
export type Place = { channel: GuildTextBasedChannel; home: NonThreadGuildBasedChannel };

/**
 * The place of a message whose link becomes an article when enough members like it; null: it is none. What not everybody
 * may view stays where it is.
 */
export function placeOf(
  { client }: { client: Client },
  { settings }: Rules,
  guild: Snowflake,
  id: Snowflake,
): Place | null {
  const wanted = settings['nomination-channels'];
  if (settings.nominations === 0) return null;
  const channel = client.guilds.cache.get(guild)?.channels.cache.get(id);
  const home = channel ? homeIn(channel) : null;
  if (!home || !channel?.isTextBased()) return null;
  const isWanted = wanted.includes(home.id) && isGroup(settings, home.id) && isListed(home);
  return isWanted ? { channel, home } : null;
}

/** Whether a message is so old that voting on it would be over. */
export function isTooOld(message: Snowflake, now: number): boolean {
  return now - snowflakeTimeMs(message) >= VOTING_OPEN_MS;
}
