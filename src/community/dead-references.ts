import type { Client, Guild } from 'discord.js';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { mentions } from '../text/mentions.ts';
import { idsOf, namesRoles, type SettingName, type Settings } from './settings.ts';

/** The roles or channels that a setting names and that the guild has no more. */
export function deadIn(guild: Guild, settings: Settings, name: SettingName): Snowflake[] {
  const isThere = namesRoles(name) ? hasRole : hasChannel;
  return idsOf(name, settings[name]).filter((id) => !isThere(guild, id));
}

/**
 * Whether all roles that a setting names are deleted. Nobody meets it then, as nobody enters a channel whose
 * only allowed role is deleted. It must not mean everybody: an admin chose that not everybody may.
 */
export function isAllDead(guild: Guild, settings: Settings, name: SettingName): boolean {
  const { length } = idsOf(name, settings[name]);
  return length > 0 && deadIn(guild, settings, name).length === length;
}

/**
 * Whether new votes wait, because all roles that may vote are deleted. Their reactions stay, and are counted
 * when an admin has chosen other roles.
 */
export function doVotesWait(
  { client }: { client: Client },
  guildId: Snowflake,
  { settings }: { settings: Settings },
): boolean {
  const guild = client.guilds.cache.get(guildId);
  return guild !== undefined && isAllDead(guild, settings, 'vote-roles');
}

export function hasRole({ roles }: Guild, id: Snowflake): boolean {
  return roles.cache.has(id);
}

export function hasChannel({ channels }: Guild, id: Snowflake): boolean {
  return channels.cache.has(id);
}

const GONE = { '#': 'references.channels', '@&': 'references.roles' } as const;

/** Mentions of chosen roles or channels. Those that were deleted have no name any more: their number is said. */
export function livingMentions(
  guild: Guild,
  kind: '#' | '@&',
  ids: readonly Snowflake[],
  locale: string | null,
): string[] {
  const isThere = kind === '#' ? hasChannel : hasRole;
  const living = ids.filter((id) => isThere(guild, id));
  const gone = ids.length - living.length;
  const named = living.map((id) => mentions(kind, [id]));
  return gone === 0 ? named : [...named, translate(locale, GONE[kind], { count: gone })];
}
