import {
  type AuditLogEvent,
  GatewayIntentBits,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import type { AuditEntry, Guild } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { guildPermissions } from '../permissions.ts';

type NewEntry = {
  action: AuditLogEvent;
  byId: Snowflake;
  targetId: string | null;
  reason?: string | undefined;
  options?: Json | undefined;
  changes?: Json[] | undefined;
};

/** Writes down who did what, and tells a bot that may view the log. */
export function noteInAuditLog(world: World, guild: Guild, entry: NewEntry): void {
  const { reason, options, changes, ...rest } = entry;
  const noted: AuditEntry = {
    id: world.snowflake(),
    ...rest,
    reason: reason === undefined || reason === '' ? null : reason,
    options: options ?? null,
    changes: changes ?? [],
  };
  guild.auditLog.push(noted);
  const permissions = guildPermissions(world, guild, world.application.botId);
  if ((permissions & P.ViewAuditLog) === 0n) return;
  world.changes.emit({
    t: 'GUILD_AUDIT_LOG_ENTRY_CREATE',
    d: { guild_id: guild.id, ...auditEntryPayload(noted) },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildModeration,
  });
}

export function auditEntryPayload(entry: AuditEntry): Json {
  const { id, action, byId, targetId, reason, options, changes } = entry;
  return {
    id,
    action_type: action,
    user_id: byId,
    target_id: targetId,
    ...(changes.length === 0 ? {} : { changes }),
    ...(options === null ? {} : { options }),
    ...(reason === null ? {} : { reason }),
  };
}
