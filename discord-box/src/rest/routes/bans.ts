import { AuditLogEvent, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import { noteInAuditLog } from '../../world/guilds/audit-log.ts';
import { ban, unban } from '../../world/guilds/change-member.ts';
import { deleteMessagesOf } from '../../world/messages/delete-messages-of.ts';
import type { Guild } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { userPayload } from '../../world/user-payload.ts';
import { isBelow, needAbove, needGuildPermission, reachGuild } from '../access.ts';
import { reasonOf } from '../audited.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zPage = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  after: z.string().regex(/^\d+$/).default('0'),
  before: z.string().regex(/^\d+$/).optional(),
});
const zSeconds = z.int().min(0).max(604_800).nullish();
const zBan = z.object({
  delete_message_seconds: zSeconds,
  delete_message_days: z.int().min(0).max(7).nullish(),
});
const zBulkBan = z.object({
  user_ids: z.array(z.string().regex(/^\d{15,20}$/)).max(200),
  delete_message_seconds: zSeconds,
});

/** Who is banned from a guild. */
export function banRoutes(world: World): Hono {
  const routes = new Hono();

  const carryOut = (guild: Guild, userId: string, reason: string, seconds: number): void => {
    ban(world, guild, userId, reason);
    if (seconds > 0) deleteMessagesOf(world, guild, userId, seconds * 1000);
  };

  routes.put('/guilds/:guild/bans/:user', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.BanMembers);
    const userId = context.req.param('user');
    if (!world.users.has(userId)) throw refuse('unknownUser');
    const form = parseForm(zBan, (await readBody(context)).body);
    if (guild.members.has(userId)) needAbove(world, guild, { userId });
    const days = form.delete_message_days ?? 0;
    const seconds = form.delete_message_seconds ?? days * 86_400;
    carryOut(guild, userId, reasonOf(context), seconds);
    return context.body(null, 204);
  });
  routes.post('/guilds/:guild/bulk-ban', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.BanMembers | P.ManageGuild);
    const form = parseForm(zBulkBan, (await readBody(context)).body);
    const ids = [...new Set(form.user_ids)];
    const mayBan = (userId: string): boolean =>
      world.users.has(userId) &&
      !guild.bans.has(userId) &&
      (!guild.members.has(userId) || isBelow(world, guild, userId));
    const banned = ids.filter(mayBan);
    if (banned.length === 0) throw refuse('nobodyBanned');
    const reason = reasonOf(context);
    for (const userId of banned) {
      carryOut(guild, userId, reason, form.delete_message_seconds ?? 0);
      const byId = world.application.botId;
      const action = AuditLogEvent.MemberBanAdd;
      noteInAuditLog(world, guild, { action, byId, targetId: userId, reason });
    }
    const failed = ids.filter((id) => !banned.includes(id));
    return context.json({ banned_users: banned, failed_users: failed });
  });
  routes.delete('/guilds/:guild/bans/:user', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.BanMembers);
    if (!unban(world, guild, context.req.param('user'))) throw refuse('unknownBan');
    return context.body(null, 204);
  });
  routes.get('/guilds/:guild/bans/:user', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.BanMembers);
    const userId = context.req.param('user');
    const reason = guild.bans.get(userId);
    if (reason === undefined) throw refuse('unknownBan');
    return context.json({ user: userPayload(world, userId), reason });
  });
  routes.get('/guilds/:guild/bans', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.BanMembers);
    const { limit, after, before } = parseForm(zPage, context.req.query());
    const bans = [...guild.bans]
      .filter(([id]) => compareIds(id, after) > 0 && (!before || compareIds(id, before) < 0))
      .sort(([a], [b]) => compareIds(a, b));
    const page = before ? bans.slice(-limit) : bans.slice(0, limit);
    return context.json(page.map(([id, reason]) => ({ user: userPayload(world, id), reason })));
  });

  return routes;
}
