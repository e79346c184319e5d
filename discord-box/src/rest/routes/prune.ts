import { AuditLogEvent, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Guild, Member } from '../../model/guild.ts';
import { snowflakeMs } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { noteInAuditLog } from '../../world/guilds/audit-log.ts';
import { removeMember } from '../../world/guilds/change-member.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { reasonOf } from '../audited.ts';
import { readBody } from '../body.ts';
import { parseForm } from '../parse-form.ts';

const zQuery = z.object({
  days: z.coerce.number().int().min(1).max(30).default(7),
  include_roles: z.string().default(''),
});
const zForm = z.object({
  days: z.int().min(1).max(30).nullish(),
  compute_prune_count: z.boolean().nullish(),
  include_roles: z.union([z.array(z.string()), z.string()]).nullish(),
  reason: z.string().nullish(),
});
const DAY_MS = 86_400_000;

/**
 * Members who were not here for days are taken out. Discord knows when they looked in last; here, they
 * were here when they joined and when they wrote.
 */
export function pruneRoutes(world: World): Hono {
  const routes = new Hono();

  const reach = (context: Context): Guild => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    needGuildPermission(world, guild, P.ManageGuild | P.KickMembers);
    return guild;
  };
  const idle = (guild: Guild, days: number, roles: string[]): Member[] => {
    const since = world.clock.now() - days * DAY_MS;
    const writers = writersSince(world, guild, since);
    return [...guild.members.values()].filter(
      ({ userId, joinedAtMs, roleIds }) =>
        joinedAtMs < since &&
        !writers.has(userId) &&
        userId !== guild.ownerId &&
        world.users.get(userId)?.bot !== true &&
        [...roleIds].every((id) => roles.includes(id)),
    );
  };

  routes.get('/guilds/:guild/prune', (context) => {
    const guild = reach(context);
    const { days, include_roles: roles } = parseForm(zQuery, context.req.query());
    return context.json({ pruned: idle(guild, days, roles.split(',')).length });
  });
  routes.post('/guilds/:guild/prune', async (context) => {
    const guild = reach(context);
    const form = parseForm(zForm, (await readBody(context)).body);
    const days = form.days ?? 7;
    const found = idle(guild, days, [form.include_roles ?? []].flat());
    for (const { userId } of found) removeMember(world, guild, userId);
    noteInAuditLog(world, guild, {
      action: AuditLogEvent.MemberPrune,
      byId: world.application.botId,
      targetId: null,
      reason: reasonOf(context),
      options: { delete_member_days: String(days), members_removed: String(found.length) },
    });
    return context.json({ pruned: form.compute_prune_count === false ? null : found.length });
  });

  return routes;
}

function writersSince(world: World, { id: guildId }: Guild, since: number): Set<string> {
  const writers = new Set<string>();
  for (const channel of world.channels.values()) {
    if (channel.guildId !== guildId) continue;
    for (const { id, authorId } of channel.messages.values()) {
      if (snowflakeMs(id) >= since) writers.add(authorId);
    }
  }
  return writers;
}
