import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { CommandForm } from '../../forms/command-form.ts';
import type { Channel } from '../../model/channel.ts';
import type { StoredCommand } from '../../model/command.ts';
import type { CommandPermission, Guild } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { ALL_PERMISSIONS, permissionsIn } from '../permissions.ts';
import type { Snowflake } from '../../model/snowflakes.ts';

export function commandType(command: StoredCommand): 1 | 2 | 3 {
  return command.form.type ?? 1;
}

/** Creates a command, or replaces the one with the same name and type. */
export function putCommand(
  world: World,
  form: CommandForm,
  guildId: Snowflake | null = null,
): { command: StoredCommand; created: boolean } {
  const known = [...world.commands.values()].find(
    (command) =>
      command.form.name === form.name &&
      commandType(command) === (form.type ?? 1) &&
      (command.guildId ?? null) === guildId,
  );
  const command = { id: known?.id ?? world.snowflake(), version: world.snowflake(), guildId, form };
  world.commands.set(command.id, command);
  return { command, created: known === undefined };
}

/** The commands that a member can choose in a channel. */
export function commandsFor(world: World, channel: Channel, userId: Snowflake): StoredCommand[] {
  return [...world.commands.values()].filter((command) => mayUse(world, channel, userId, command));
}

function mayUse(
  world: World,
  channel: Channel,
  userId: Snowflake,
  { id, form, guildId }: StoredCommand,
): boolean {
  if (guildId && guildId !== channel.guildId) return false;
  const permissions = permissionsIn(world, channel, userId);
  if ((permissions & PermissionFlagsBits.UseApplicationCommands) === 0n) return false;
  if (form.nsfw === true && channel.guildId !== null && !channel.ageRestricted) return false;
  if (channel.guildId === null) {
    return form.contexts ? form.contexts.includes(1) : form.dm_permission !== false;
  }
  const guild = world.guilds.get(channel.guildId);
  if (guild?.members.has(world.application.botId) !== true) return false;
  if (form.contexts && !form.contexts.includes(0)) return false;
  if (permissions === ALL_PERMISSIONS) return true;
  const own = rulesFor(guild, id, channel, userId);
  const all = rulesFor(guild, world.application.id, channel, userId);
  if ((own.channel ?? all.channel) === false) return false;
  if (own.member !== undefined) return own.member;
  if (all.member === false) return false;
  if (form.default_member_permissions === undefined || form.default_member_permissions === null) {
    return true;
  }
  const needed = BigInt(form.default_member_permissions);
  // "0" means: nobody but administrators.
  return needed !== 0n && (permissions & needed) === needed;
}

/** Sets what a guild's admins allow of a command, or with the application's id of all of them. */
export function setCommandPermissions(
  world: World,
  guild: Guild,
  id: Snowflake,
  permissions: CommandPermission[],
): void {
  guild.commandPermissions ??= new Map();
  guild.commandPermissions.set(id, permissions);
  world.changes.emit({
    t: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE',
    d: { id, application_id: world.application.id, guild_id: guild.id, permissions },
    guildId: guild.id,
    intents: 0,
  });
}

/** What one list of rules says: of the channel, and of the member; undefined for nothing. */
function rulesFor(
  guild: Guild,
  id: Snowflake,
  channel: Channel,
  userId: Snowflake,
): { channel?: boolean | undefined; member?: boolean | undefined } {
  const rules = guild.commandPermissions?.get(id) ?? [];
  const of = (type: number, ids: readonly (Snowflake | null)[]) =>
    rules.filter((rule) => rule.type === type && ids.includes(rule.id));
  const everyChannel = String(BigInt(guild.id) - 1n);
  const place = channel.thread === null ? channel.id : channel.parentId;
  const roles = of(1, [...(guild.members.get(userId)?.roleIds ?? [])]);
  return {
    channel: (of(3, [place])[0] ?? of(3, [everyChannel])[0])?.permission,
    member:
      of(2, [userId])[0]?.permission ??
      (roles.length > 0 ? roles.some(({ permission }) => permission) : undefined) ??
      of(1, [guild.id])[0]?.permission,
  };
}

/** A command of one guild has no contexts of its own. */
export function commandPayload(
  world: World,
  command: StoredCommand,
  withLocalizations: boolean,
): Json {
  const { form } = command;
  const payload: Json = {
    id: command.id,
    application_id: world.application.id,
    ...(command.guildId ? { guild_id: command.guildId } : {}),
    version: command.version,
    type: commandType(command),
    name: form.name,
    name_localizations: form.name_localizations ?? null,
    description: form.description ?? '',
    description_localizations:
      'description_localizations' in form ? (form.description_localizations ?? null) : null,
    default_member_permissions: form.default_member_permissions ?? null,
    dm_permission: form.dm_permission ?? true,
    contexts: form.contexts ?? null,
    integration_types: form.integration_types ?? [0],
    nsfw: form.nsfw ?? false,
    ...('options' in form && form.options ? { options: form.options } : {}),
  };
  return withLocalizations ? payload : (withoutLocalizations(payload) as Json);
}

function withoutLocalizations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLocalizations);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !key.endsWith('_localizations'));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutLocalizations(inner)]));
}
