import { type Client, Events, type GuildMember, Routes } from 'discord.js';
import { z } from 'zod';
import { fault, type Log } from '../../log.ts';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';

const kinds = { role: 1, member: 2, channel: 3 } as const;

const zPermissions = z.array(
  z.object({
    id: zSnowflake,
    permissions: z.array(
      z.object({ id: zSnowflake, type: z.int().min(1).max(3), permission: z.boolean() }),
    ),
  }),
);
type Permission = z.infer<typeof zPermissions>[number]['permissions'][number];

/** The permissions that a guild's admins set in Discord, by command id, or application id for all commands. */
type CommandPermissions = ReadonlyMap<Snowflake, readonly Permission[]>;

/** Discord sends changes; this limit is for changes that were missed. */
const freshMs = 300_000;
/** The longest time that an answer waits for the permissions. */
const patienceMs = 700;

/** Cached for some minutes. Empty if Discord does not answer in time. */
export type ReadCommandPermissions = (guild: Snowflake) => Promise<CommandPermissions>;

export function openCommandPermissions(
  client: Client,
  application: Snowflake,
  log: Log,
): ReadCommandPermissions {
  const kept = new Map<Snowflake, { permissions: Promise<CommandPermissions>; readAtMs: number }>();
  client.on(Events.ApplicationCommandPermissionsUpdate, ({ guildId }) => {
    kept.delete(guildId);
  });

  async function ask(guild: Snowflake): Promise<CommandPermissions> {
    const route = Routes.guildApplicationCommandsPermissions(application, guild);
    try {
      const found = zPermissions.parse(await client.rest.get(route));
      return new Map(found.map(({ id, permissions }) => [id, permissions]));
    } catch (error) {
      log.debug({ ...fault(error), guild }, 'The permissions of commands could not be read.');
      kept.delete(guild);
      return new Map();
    }
  }

  return async (guild) => {
    let known = kept.get(guild);
    if (!known || performance.now() - known.readAtMs > freshMs) {
      known = { permissions: ask(guild), readAtMs: performance.now() };
      kept.set(guild, known);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<CommandPermissions>((resolve) => {
      timer = setTimeout(() => resolve(new Map()), patienceMs);
    });
    try {
      return await Promise.race([known.permissions, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Whether Discord's client offers a member a command in a channel, given the admins' permissions.
 * Permissions of the command override those of all commands. Permissions of a member override those
 * of roles, and those of roles override everyone's.
 */
export function offers(
  permissions: CommandPermissions,
  application: Snowflake,
  command: Snowflake,
  { member, channel }: { member: GuildMember; channel: Snowflake },
): boolean {
  if (member.guild.ownerId === member.id || member.permissions.has('Administrator')) return true;
  const own = rulesIn(permissions.get(command) ?? [], member, channel);
  const all = rulesIn(permissions.get(application) ?? [], member, channel);
  return (own.channel ?? all.channel) !== false && (own.member ?? all.member) !== false;
}

function rulesIn(
  rules: readonly Permission[],
  member: GuildMember,
  channel: Snowflake,
): { channel: boolean | undefined; member: boolean | undefined } {
  const everyone = member.guild.id;
  const everyChannel = String(BigInt(everyone) - 1n);
  const of = (type: number, id: Snowflake) =>
    rules.find((rule) => rule.type === type && rule.id === id)?.permission;
  const roles = rules.filter(
    ({ type, id }) => type === kinds.role && id !== everyone && member.roles.cache.has(id),
  );
  return {
    channel: of(kinds.channel, channel) ?? of(kinds.channel, everyChannel),
    member:
      of(kinds.member, member.id) ??
      (roles.length > 0 ? roles.some(({ permission }) => permission) : undefined) ??
      of(kinds.role, everyone),
  };
}
