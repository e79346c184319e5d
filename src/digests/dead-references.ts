import type { Guild } from 'discord.js';
import { hasChannel, hasRole } from '../community/dead-references.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Digest } from './digest-settings.ts';

/** The role and the sources that a digest names and that the guild has no more. */
export function deadInDigest(guild: Guild, { role, groups }: Digest): Snowflake[] {
  const channels = groups.filter((id) => !hasChannel(guild, id));
  return role === null || hasRole(guild, role) ? channels : [role, ...channels];
}
