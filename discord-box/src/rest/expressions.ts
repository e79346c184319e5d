import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { Guild } from '../model/guild.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import type { World } from '../model/world.ts';
import { guildPermissions } from '../world/permissions.ts';
import { userPayload } from '../world/user-payload.ts';
import { needGuildPermission } from './access.ts';

/** A sticker or a sound of a server. */
type Expression = { makerId: Snowflake };

/** Who made it, for a bot that may make or manage such. */
export function makerOf(world: World, guild: Guild, { makerId }: Expression) {
  const mayMake = P.CreateGuildExpressions | P.ManageGuildExpressions;
  const sees = (guildPermissions(world, guild, world.application.botId) & mayMake) !== 0n;
  return sees ? { user: userPayload(world, makerId) } : {};
}

/** Refuses a bot that may not change or delete it. Its own need less. */
export function needToManage(world: World, guild: Guild, { makerId }: Expression): void {
  const { botId } = world.application;
  const mayManage = (guildPermissions(world, guild, botId) & P.ManageGuildExpressions) !== 0n;
  const isOwn = makerId === botId && !mayManage;
  needGuildPermission(world, guild, isOwn ? P.CreateGuildExpressions : P.ManageGuildExpressions);
}
