import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { createChannel } from '../../world/channels/change-channel.ts';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import { zChannelForm, toOverwrites } from '../../forms/channel-form.ts';
import { addRole, changeRole, deleteRole } from '../../world/guilds/change-guild.ts';
import { changeMember, removeMember } from '../../world/guilds/change-member.ts';
import { emojiPayload, guildPayload, rolePayload } from '../../world/guilds/guild-payload.ts';
import { memberPayload } from '../../world/member-payload.ts';
import { isThread } from '../../model/channel.ts';
import type { Guild, Member, Role } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { mayView } from '../../world/permissions.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zMembersPage = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1),
  after: z.string().regex(/^\d+$/).default('0'),
});
const zMembersSearch = z.object({
  query: z.string().min(1),
  limit: z.coerce.number().int().min(1).max(1000).default(1),
});
const zMemberChange = z.object({
  nick: z.string().max(32).nullish(),
  roles: z.array(z.string()).nullish(),
  communication_disabled_until: z.iso.datetime({ offset: true }).nullish(),
});
const zRoleForm = z.object({
  name: z.string().max(100).nullish(),
  permissions: z.union([z.string().regex(/^\d+$/), z.int().min(0)]).nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  colors: z.looseObject({ primary_color: z.int() }).nullish(),
  hoist: z.boolean().nullish(),
  mentionable: z.boolean().nullish(),
});

export function guildRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  routes.get('/guilds/:guild', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const counts = { approximate_member_count: guild.members.size, approximate_presence_count: 1 };
    const withCounts = context.req.query('with_counts') === 'true';
    return context.json({ ...guildPayload(guild), ...(withCounts ? counts : {}) });
  });

  routes.get('/guilds/:guild/channels', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const channels = [...world.channels.values()].filter(
      (channel) => channel.guildId === guild.id && !isThread(channel),
    );
    return context.json(channels.map((channel) => channelPayload(channel)));
  });

  routes.post('/guilds/:guild/channels', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageChannels);
    const form = parseForm(zChannelForm, (await readBody(context)).body);
    const channel = createChannel(world, {
      type: form.type,
      guildId: guild.id,
      name: form.name,
      topic: form.topic ?? null,
      parentId: form.parent_id ?? null,
      ageRestricted: form.nsfw ?? false,
      overwrites: toOverwrites(form.permission_overwrites ?? []),
    });
    return context.json(channelPayload(channel), 201);
  });

  routes.get('/guilds/:guild/threads/active', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const threads = [...world.channels.values()]
      .filter((channel) => channel.guildId === guild.id && channel.thread?.archived === false)
      .filter((thread) => mayView(world, thread, botId))
      .sort((a, b) => compareIds(b.id, a.id));
    return context.json({
      threads: threads.map((thread) => channelPayload(thread)),
      members: [],
      has_more: false,
    });
  });

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
    if (form.nick !== undefined) needGuildPermission(world, guild, P.ManageNicknames);
    if (form.roles != null) needGuildPermission(world, guild, P.ManageRoles);
    if (form.communication_disabled_until !== undefined) {
      needGuildPermission(world, guild, P.ModerateMembers);
    }
    const until = form.communication_disabled_until;
    changeMember(world, guild, member, {
      ...(form.nick === undefined ? {} : { nick: form.nick }),
      ...(form.roles == null ? {} : { roleIds: new Set(form.roles) }),
      ...(until === undefined
        ? {}
        : { timedOutUntilMs: until === null ? null : Date.parse(until) }),
    });
    return context.json(memberPayload(world, member));
  });
  routes.put('/guilds/:guild/members/:user/roles/:role', (context) => {
    const { guild, member } = reachMember(context);
    const role = reachRole(guild, context.req.param('role'));
    changeMember(world, guild, member, { roleIds: new Set([...member.roleIds, role.id]) });
    return context.body(null, 204);
  });
  routes.delete('/guilds/:guild/members/:user/roles/:role', (context) => {
    const { guild, member } = reachMember(context);
    const { id } = reachRole(guild, context.req.param('role'));
    const roleIds = new Set([...member.roleIds].filter((one) => one !== id));
    changeMember(world, guild, member, { roleIds });
    return context.body(null, 204);
  });
  routes.delete('/guilds/:guild/members/:user', (context) => {
    const { guild, member } = reachMember(context);
    needGuildPermission(world, guild, P.KickMembers);
    removeMember(world, guild, member.userId);
    return context.body(null, 204);
  });

  routes.get('/guilds/:guild/roles', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    return context.json([...guild.roles.values()].map(rolePayload));
  });
  routes.get('/guilds/:guild/roles/:role', (context) => {
    const { roles } = reachGuild(world, context.req.param('guild'));
    const role = roles.get(context.req.param('role'));
    if (role === undefined) throw refuse('unknownRole');
    return context.json(rolePayload(role));
  });
  routes.post('/guilds/:guild/roles', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageRoles);
    const form = parseForm(zRoleForm, (await readBody(context)).body);
    const everyone = guild.roles.get(guild.id)?.permissions ?? 0n;
    const role = addRole(world, guild, {
      name: form.name ?? 'new role',
      permissions: form.permissions == null ? everyone : BigInt(form.permissions),
      color: form.color ?? form.colors?.primary_color ?? 0,
      mentionable: form.mentionable ?? false,
    });
    return context.json(rolePayload(role));
  });
  routes.patch('/guilds/:guild/roles/:role', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const role = reachRole(guild, context.req.param('role'));
    const form = parseForm(zRoleForm, (await readBody(context)).body);
    changeRole(world, guild, role, {
      ...(form.name == null ? {} : { name: form.name }),
      ...(form.permissions == null ? {} : { permissions: BigInt(form.permissions) }),
      ...(form.color == null ? {} : { color: form.color }),
      ...(form.mentionable == null ? {} : { mentionable: form.mentionable }),
    });
    return context.json(rolePayload(role));
  });
  routes.delete('/guilds/:guild/roles/:role', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    deleteRole(world, guild, reachRole(guild, context.req.param('role')));
    return context.body(null, 204);
  });

  routes.get('/guilds/:guild/emojis', (context) => {
    const { emojis } = reachGuild(world, context.req.param('guild'));
    return context.json([...emojis.values()].map(emojiPayload));
  });

  const reachMember = (context: Context): { guild: Guild; member: Member } => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const user = context.req.param('user') ?? '';
    const member = guild.members.get(user === '@me' ? botId : user);
    if (member === undefined) throw refuse('unknownMember');
    return { guild, member };
  };
  /** A role that the bot may give, take and change: one that stands below its own highest. */
  const reachRole = (guild: Guild, id: string): Role => {
    needGuildPermission(world, guild, P.ManageRoles);
    const role = guild.roles.get(id);
    if (role === undefined) throw refuse('unknownRole');
    const own = [...(guild.members.get(botId)?.roleIds ?? [])].map(
      (roleId) => guild.roles.get(roleId)?.position ?? 0,
    );
    if (role.managed || role.position >= Math.max(0, ...own)) throw refuse('missingPermissions');
    return role;
  };

  return routes;
}
