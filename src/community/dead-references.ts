import type { Guild } from 'discord.js';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Settings } from './settings.ts';

export const ROLE_SETTINGS = ['post-roles', 'vote-roles'] as const;
export const CHANNEL_SETTINGS = ['groups', 'no-groups', 'link-channels'] as const;
type ReferringSetting = (typeof ROLE_SETTINGS | typeof CHANNEL_SETTINGS)[number];

/** The roles or channels that a setting names and that the guild has no more. */
export function deadIn(guild: Guild, settings: Settings, name: ReferringSetting): Snowflake[] {
  const isRoles = ROLE_SETTINGS.some((one) => one === name);
  return settings[name].filter((id) => !(isRoles ? hasRole(guild, id) : hasChannel(guild, id)));
}

export function hasRole({ roles }: Guild, id: Snowflake): boolean {
  return roles.cache.has(id);
}

export function hasChannel({ channels }: Guild, id: Snowflake): boolean {
  return channels.cache.has(id);
}
