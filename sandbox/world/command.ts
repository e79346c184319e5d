import { PermissionFlagsBits } from 'discord-api-types/v10';
import type { CommandForm } from '../rest/command-form.ts';
import type { Channel } from './channel.ts';
import type { Json } from './message.ts';
import { ALL_PERMISSIONS, permissionsIn } from './permissions.ts';
import type { Snowflake } from './snowflakes.ts';
import type { World } from './world.ts';

export type StoredCommand = {
  id: Snowflake;
  version: Snowflake;
  /** null for a global command. */
  guildId: Snowflake | null;
  form: CommandForm;
};

export function commandType(command: StoredCommand): 1 | 2 | 3 {
  return command.form.type ?? 1;
}

/** Creates a command, or replaces the one with the same name and type in the same place. */
export function putCommand(
  world: World,
  guildId: Snowflake | null,
  form: CommandForm,
): { command: StoredCommand; created: boolean } {
  const known = [...world.commands.values()].find(
    (command) =>
      command.guildId === guildId &&
      command.form.name === form.name &&
      commandType(command) === (form.type ?? 1),
  );
  const command: StoredCommand = {
    id: known?.id ?? world.snowflake(),
    version: world.snowflake(),
    guildId,
    form,
  };
  world.commands.set(command.id, command);
  return { command, created: known === undefined };
}

export function commandsIn(world: World, guildId: Snowflake | null): StoredCommand[] {
  return [...world.commands.values()].filter((command) => command.guildId === guildId);
}

/** The commands that a member can choose in a channel, the guild's own before the global ones. */
export function commandsFor(world: World, channel: Channel, userId: Snowflake): StoredCommand[] {
  const own = channel.guildId === null ? [] : commandsIn(world, channel.guildId);
  return [...own, ...commandsIn(world, null)].filter((command) =>
    mayUse(world, channel, userId, command),
  );
}

function mayUse(
  world: World,
  channel: Channel,
  userId: Snowflake,
  { form }: StoredCommand,
): boolean {
  const permissions = permissionsIn(world, channel, userId);
  if ((permissions & PermissionFlagsBits.UseApplicationCommands) === 0n) return false;
  if (form.nsfw === true && channel.guildId !== null && !channel.ageRestricted) return false;
  if (channel.guildId === null) {
    return form.contexts ? form.contexts.includes(1) : form.dm_permission !== false;
  }
  const guild = world.guilds.get(channel.guildId);
  if (guild?.members.has(world.application.botId) !== true) return false;
  if (form.contexts && !form.contexts.includes(0)) return false;
  if (form.default_member_permissions === undefined || form.default_member_permissions === null) {
    return true;
  }
  if (permissions === ALL_PERMISSIONS) return true;
  const needed = BigInt(form.default_member_permissions);
  // "0" means: nobody but administrators.
  return needed !== 0n && (permissions & needed) === needed;
}

export function commandPayload(
  world: World,
  command: StoredCommand,
  withLocalizations: boolean,
): Json {
  const { form } = command;
  const payload: Json = {
    id: command.id,
    application_id: world.application.id,
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
    ...(command.guildId === null ? {} : { guild_id: command.guildId }),
  };
  return withLocalizations ? payload : (withoutLocalizations(payload) as Json);
}

function withoutLocalizations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLocalizations);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !key.endsWith('_localizations'));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutLocalizations(inner)]));
}
