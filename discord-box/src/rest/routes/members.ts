import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { changeMember, removeMember } from '../../world/guilds/change-member.ts';
import { enterVoice, leaveVoice, tellVoice } from '../../world/voice.ts';
import { memberPayload } from '../../world/member-payload.ts';
import type { Guild, Member } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { guildPermissions } from '../../world/permissions.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { needAbove, needGuildPermission, reachGuild, reachLowerRole } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';
import { reachVoiceTarget } from './voice.ts';

const zMembersPage = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1),
  after: z.string().regex(/^\d+$/).default('0'),
});
const LONGEST_TIME_OUT_MS = 28 * 86_400_000;
const zMembersSearch = z.object({
  query: z.string().min(1),
  limit: z.coerce.number().int().min(1).max(1000).default(1),
});
const zMemberChange = z.object({
  nick: z.string().max(32).nullish(),
  roles: z.array(z.string()).nullish(),
  communication_disabled_until: z.iso.datetime({ offset: true }).nullish(),
  mute: z.boolean().nullish(),
  deaf: z.boolean().nullish(),
  channel_id: z.string().nullish(),
});

/** The members of a guild. */
export function memberRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  routes.get('/guilds/:guild/members/search', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const { query, limit } = parseForm(zMembersSearch, context.req.query());
    const begins = (text: string | null | undefined): boolean =>
      text?.toLowerCase().startsWith(query.toLowerCase()) === true;
    const found = [...guild.members.values()].filter(
      ({ userId, nick }) => begins(nick) || begins(world.users.get(userId)?.username),
    );
    return context.json(found.slice(0, limit).map((one) => memberPayload(world, one)));
  });
  routes.get('/guilds/:guild/members/:user', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const member = guild.members.get(context.req.param('user'));
    if (member === undefined) throw refuse('unknownMember');
    return context.json(memberPayload(world, member));
  });

  /** All members are for those alone who have the privileged intent. */
  routes.get('/guilds/:guild/members', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    if (!world.application.privileged.guildMembers) throw refuse('missingAccess');
    const { limit, after } = parseForm(zMembersPage, context.req.query());
    const members = [...guild.members.values()]
      .filter(({ userId }) => compareIds(userId, after) > 0)
      .sort((a, b) => compareIds(a.userId, b.userId));
    return context.json(members.slice(0, limit).map((one) => memberPayload(world, one)));
  });
  routes.patch('/guilds/:guild/members/:user', async (context) => {
    const { guild, member } = reachMember(context);
    const form = parseForm(zMemberChange, (await readBody(context)).body);
    const { nick, communication_disabled_until: until } = form;
    // Clients name @everyone too, which every member has.
    const roles = form.roles?.filter((id) => id !== guild.id);
    const isOwn = member.userId === botId;
    if (nick !== undefined) {
      needGuildPermission(world, guild, isOwn ? P.ChangeNickname : P.ManageNicknames);
      if (!isOwn) needAbove(world, guild, member);
    }
    if (roles != null) {
      needGuildPermission(world, guild, P.ManageRoles);
      const isGiven = (id: string) => roles.includes(id) !== member.roleIds.has(id);
      for (const id of guild.roles.keys()) if (isGiven(id)) reachLowerRole(world, guild, id);
      if (roles.some((id) => !guild.roles.has(id))) throw refuse('unknownRole');
    }
    if (until !== undefined) {
      needGuildPermission(world, guild, P.ModerateMembers);
      needAbove(world, guild, member);
      // Nobody times out an administrator.
      const permissions = guildPermissions(world, guild, member.userId);
      if ((permissions & P.Administrator) !== 0n) throw refuse('missingPermissions');
      if (until !== null && Date.parse(until) > world.clock.now() + LONGEST_TIME_OUT_MS) {
        const message = 'Member timeout may not be longer than 28 days.';
        const path = ['communication_disabled_until'];
        throw formError([{ path, code: 'USER_COMMUNICATION_DISABLED_TOO_LONG', message }]);
      }
    }
    const { mute, deaf, channel_id: channelId } = form;
    const state = guild.voiceStates.get(member.userId);
    if (mute != null) needGuildPermission(world, guild, P.MuteMembers);
    if (deaf != null) needGuildPermission(world, guild, P.DeafenMembers);
    if ((mute != null || deaf != null) && state === undefined) throw refuse('notInVoice');
    const moves = channelId !== undefined;
    const channel = moves ? reachVoiceTarget(world, guild, state, channelId) : null;
    changeMember(world, guild, member, {
      ...(mute == null ? {} : { muted: mute }),
      ...(deaf == null ? {} : { deafened: deaf }),
      ...(nick === undefined ? {} : { nick: nick === '' ? null : nick }),
      ...(roles == null ? {} : { roleIds: new Set(roles) }),
      ...(until === undefined
        ? {}
        : { timedOutUntilMs: until === null ? null : Date.parse(until) }),
    });
    if (moves && channel === null) leaveVoice(world, guild, member.userId);
    else if (channel !== null) enterVoice(world, guild, member.userId, channel);
    else if (mute != null || deaf != null) tellVoice(world, guild, member.userId);
    return context.json(memberPayload(world, member));
  });
  routes.put('/guilds/:guild/members/:user/roles/:role', (context) => {
    const { guild, member } = reachMember(context);
    const role = reachLowerRole(world, guild, context.req.param('role'));
    changeMember(world, guild, member, { roleIds: new Set([...member.roleIds, role.id]) });
    return context.body(null, 204);
  });
  routes.delete('/guilds/:guild/members/:user/roles/:role', (context) => {
    const { guild, member } = reachMember(context);
    const { id } = reachLowerRole(world, guild, context.req.param('role'));
    const roleIds = new Set([...member.roleIds].filter((one) => one !== id));
    changeMember(world, guild, member, { roleIds });
    return context.body(null, 204);
  });
  routes.delete('/guilds/:guild/members/:user', (context) => {
    const { guild, member } = reachMember(context);
    needGuildPermission(world, guild, P.KickMembers);
    needAbove(world, guild, member);
    removeMember(world, guild, member.userId);
    return context.body(null, 204);
  });

  const reachMember = (context: Context): { guild: Guild; member: Member } => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const user = context.req.param('user') ?? '';
    const member = guild.members.get(user === '@me' ? botId : user);
    if (member === undefined) throw refuse('unknownMember');
    return { guild, member };
  };

  return routes;
}
