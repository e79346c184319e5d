import type { Client } from 'discord.js';
import { isGated, isPublic, listedIn } from '../discord/access/visibility.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/**
 * The ranking as a message in a channel may show it. Where a role counts as everybody of a guild, a channel that
 * @everyone may view shows nothing that only the role may.
 */
export function rankingIn(
  { client, ranking }: { client: Client; ranking: Ranking },
  guild: Snowflake,
  channel: Snowflake,
): Ranking {
  const place = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  if (!isGated(client, guild) || !isPublic(place)) return ranking;
  return { ...ranking, isListed: listedIn(client, isPublic) };
}
