import { type AuditLogEvent, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import { auditEntryPayload } from '../../world/guilds/audit-log.ts';
import { userPayload } from '../../world/user-payload.ts';
import type { World } from '../../model/world.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { parseForm } from '../parse-form.ts';

const zPage = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  user_id: z.string().optional(),
  action_type: z.coerce.number().pipe(z.custom<AuditLogEvent>(Number.isInteger)).optional(),
  before: z.string().optional(),
  after: z.string().optional(),
});

export function auditLogRoutes(world: World): Hono {
  const routes = new Hono();

  /** Newest first; after an entry, oldest first. */
  routes.get('/guilds/:guild/audit-logs', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ViewAuditLog);
    const page = parseForm(zPage, context.req.query());
    const found = guild.auditLog
      .filter(({ byId }) => page.user_id === undefined || byId === page.user_id)
      .filter(({ action }) => page.action_type === undefined || action === page.action_type)
      .filter(({ id }) => page.before === undefined || compareIds(id, page.before) < 0)
      .filter(({ id }) => page.after === undefined || compareIds(id, page.after) > 0);
    const entries = (page.after === undefined ? found.toReversed() : found).slice(0, page.limit);
    const people = new Set(entries.flatMap(({ byId, targetId }) => [byId, targetId ?? '']));
    return context.json({
      audit_log_entries: entries.map(auditEntryPayload),
      users: [...people].filter((id) => world.users.has(id)).map((id) => userPayload(world, id)),
      application_commands: [],
      auto_moderation_rules: [],
      guild_scheduled_events: [],
      integrations: [],
      threads: [],
      webhooks: [],
    });
  });

  return routes;
}
