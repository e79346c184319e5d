import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { changeChannel, createChannel } from '../../world/channels/change-channel.ts';
import { channelPayload } from '../../world/channels/channel-payload.ts';
import { newTags } from '../../world/channels/new-tags.ts';
import {
  toOverwrites,
  toSettings,
  zChannelForm,
  zChannelPositions,
} from '../../forms/channel-form.ts';
import {
  addRole,
  changeEmojis,
  changeGuild,
  changeRole,
  deleteRole,
  moveRole,
} from '../../world/guilds/change-guild.ts';
import { ban, changeMember, removeMember, unban } from '../../world/guilds/change-member.ts';
import { emojiPayload, guildPayload, rolePayload } from '../../world/guilds/guild-payload.ts';
import { memberPayload } from '../../world/member-payload.ts';
import { isThread } from '../../model/channel.ts';
import type { Guild, Member, Role } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import { guildPermissions, mayView } from '../../world/permissions.ts';
import { userPayload } from '../../world/user-payload.ts';
import { compareIds } from '../../model/snowflakes.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';

const zMembersPage = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1),
  after: z.string().regex(/^\d+$/).default('0'),
});
const zBansPage = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  after: z.string().regex(/^\d+$/).default('0'),
  before: z.string().regex(/^\d+$/).optional(),
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
});
const zRolePositions = z.array(z.object({ id: z.string(), position: z.int().min(0).nullish() }));
/** What is kept of a guild's settings; the others say so. */
const zGuildChange = z.object({
  name: z.string().min(2).max(100).nullish(),
  preferred_locale: z.string().nullish(),
  system_channel_id: z.string().nullish(),
});
const zEmojiName = z.object({ name: z.string().regex(/^\w{2,32}$/) });
const zEmojiForm = zEmojiName.extend({
  image: z.string().regex(/^data:image\/(?:png|jpe?g|gif|webp|avif);base64,/),
});
const MOST_EMOJIS = 50;
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

  routes.patch('/guilds/:guild', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild);
    const { body } = await readBody(context);
    const unknown = Object.keys(body).find((key) => !(key in zGuildChange.shape));
    if (unknown !== undefined) {
      const message = `This Discord in a box keeps no ${unknown} of a server.`;
      throw formError([{ path: [unknown], code: 'BOX_UNKNOWN_FIELD', message }]);
    }
    const form = parseForm(zGuildChange, body);
    changeGuild(world, guild, {
      ...(form.name == null ? {} : { name: form.name }),
      ...(form.preferred_locale == null ? {} : { locale: form.preferred_locale }),
      ...(form.system_channel_id === undefined ? {} : { systemChannelId: form.system_channel_id }),
    });
    return context.json(guildPayload(guild));
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
      ...(form.position == null ? {} : { position: form.position }),
      slowmodeSeconds: form.rate_limit_per_user ?? 0,
      userLimit: form.user_limit ?? 0,
      bitrate: form.bitrate ?? 64_000,
      tags: newTags(world, form.available_tags ?? []),
      ...toSettings(form),
      parentId: form.parent_id ?? null,
      ageRestricted: form.nsfw ?? false,
      overwrites: toOverwrites(form.permission_overwrites ?? []),
    });
    return context.json(channelPayload(channel), 201);
  });

  routes.patch('/guilds/:guild/channels', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageChannels);
    const changes = parseForm(zChannelPositions, (await readBody(context)).body);
    const moved = changes.map(({ id }) => world.channels.get(id));
    if (moved.some((one) => one?.guildId !== guild.id)) throw refuse('unknownChannel');
    for (const { id, position, parent_id: parentId } of changes) {
      changeChannel(world, world.channels.get(id)!, {
        ...(position == null ? {} : { position }),
        ...(parentId === undefined ? {} : { parentId }),
      });
    }
    return context.body(null, 204);
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
    const { nick, roles, communication_disabled_until: until } = form;
    const isOwn = member.userId === botId;
    if (nick !== undefined) {
      needGuildPermission(world, guild, isOwn ? P.ChangeNickname : P.ManageNicknames);
      if (!isOwn) needAbove(guild, member);
    }
    if (roles != null) {
      needGuildPermission(world, guild, P.ManageRoles);
      const isGiven = (id: string) => roles.includes(id) !== member.roleIds.has(id);
      for (const id of guild.roles.keys()) if (isGiven(id)) reachRole(guild, id);
      if (roles.some((id) => !guild.roles.has(id))) throw refuse('unknownRole');
    }
    if (until !== undefined) {
      needGuildPermission(world, guild, P.ModerateMembers);
      needAbove(guild, member);
      // Nobody times out an administrator.
      const permissions = guildPermissions(world, guild, member.userId);
      if ((permissions & P.Administrator) !== 0n) throw refuse('missingPermissions');
      if (until !== null && Date.parse(until) > world.clock.now() + LONGEST_TIME_OUT_MS) {
        const message = 'Member timeout may not be longer than 28 days.';
        const path = ['communication_disabled_until'];
        throw formError([{ path, code: 'USER_COMMUNICATION_DISABLED_TOO_LONG', message }]);
      }
    }
    changeMember(world, guild, member, {
      ...(nick === undefined ? {} : { nick: nick === '' ? null : nick }),
      ...(roles == null ? {} : { roleIds: new Set(roles) }),
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
    needAbove(guild, member);
    removeMember(world, guild, member.userId);
    return context.body(null, 204);
  });

  routes.put('/guilds/:guild/bans/:user', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.BanMembers);
    const userId = context.req.param('user');
    if (!world.users.has(userId)) throw refuse('unknownUser');
    if (guild.members.has(userId)) needAbove(guild, { userId });
    ban(world, guild, userId, decodeURIComponent(context.req.header('x-audit-log-reason') ?? ''));
    return context.body(null, 204);
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
    const { limit, after, before } = parseForm(zBansPage, context.req.query());
    const bans = [...guild.bans]
      .filter(([id]) => compareIds(id, after) > 0 && (!before || compareIds(id, before) < 0))
      .sort(([a], [b]) => compareIds(a, b));
    const page = before ? bans.slice(-limit) : bans.slice(0, limit);
    return context.json(page.map(([id, reason]) => ({ user: userPayload(world, id), reason })));
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
      hoist: form.hoist ?? false,
    });
    return context.json(rolePayload(role));
  });
  routes.patch('/guilds/:guild/roles', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageRoles);
    const named = parseForm(zRolePositions, (await readBody(context)).body);
    // Clients name all roles, of which most stay where they are.
    const moves = named.flatMap(({ id, position }) =>
      position == null || guild.roles.get(id)?.position === position ? [] : [{ id, position }],
    );
    const highest = guild.ownerId === botId ? Infinity : highestOf(guild, botId);
    for (const { id, position } of moves) {
      reachRole(guild, id);
      if (position >= highest) throw refuse('missingPermissions');
    }
    for (const { id, position } of moves.sort((a, b) => a.position - b.position)) {
      moveRole(world, guild, guild.roles.get(id)!, position);
    }
    return context.json([...guild.roles.values()].map(rolePayload));
  });
  routes.patch('/guilds/:guild/roles/:role', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const role = reachRole(guild, context.req.param('role'));
    const form = parseForm(zRoleForm, (await readBody(context)).body);
    changeRole(world, guild, role, {
      ...(form.name == null ? {} : { name: form.name }),
      ...(form.permissions == null ? {} : { permissions: BigInt(form.permissions) }),
      ...colorOf(form),
      ...(form.mentionable == null ? {} : { mentionable: form.mentionable }),
      ...(form.hoist == null ? {} : { hoist: form.hoist }),
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
  routes.get('/guilds/:guild/emojis/:emoji', (context) =>
    context.json(emojiPayload(reachEmoji(context).emoji)),
  );
  routes.post('/guilds/:guild/emojis', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.CreateGuildExpressions);
    const { name, image } = parseForm(zEmojiForm, (await readBody(context)).body);
    if (guild.emojis.size >= MOST_EMOJIS) throw refuse('tooManyEmojis');
    const emoji = { id: world.snowflake(), name, animated: image.startsWith('data:image/gif') };
    changeEmojis(world, guild, () => guild.emojis.set(emoji.id, emoji));
    return context.json(emojiPayload(emoji), 201);
  });
  routes.patch('/guilds/:guild/emojis/:emoji', async (context) => {
    const { guild, emoji } = reachEmoji(context);
    needGuildPermission(world, guild, P.ManageGuildExpressions);
    const { name } = parseForm(zEmojiName, (await readBody(context)).body);
    changeEmojis(world, guild, () => void (emoji.name = name));
    return context.json(emojiPayload(emoji));
  });
  routes.delete('/guilds/:guild/emojis/:emoji', (context) => {
    const { guild, emoji } = reachEmoji(context);
    needGuildPermission(world, guild, P.ManageGuildExpressions);
    changeEmojis(world, guild, () => guild.emojis.delete(emoji.id));
    return context.body(null, 204);
  });
  /** There are none of these here. */
  for (const what of ['stickers', 'scheduled-events']) {
    routes.get(`/guilds/:guild/${what}`, (context) => {
      reachGuild(world, context.req.param('guild') ?? '');
      return context.json([]);
    });
  }

  const reachEmoji = (context: Context) => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const emoji = guild.emojis.get(context.req.param('emoji') ?? '');
    if (emoji === undefined) throw refuse('unknownGuildEmoji');
    return { guild, emoji };
  };

  const reachMember = (context: Context): { guild: Guild; member: Member } => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    const user = context.req.param('user') ?? '';
    const member = guild.members.get(user === '@me' ? botId : user);
    if (member === undefined) throw refuse('unknownMember');
    return { guild, member };
  };
  /** The bot moderates those alone whose highest role is below its own, and never the owner. */
  const needAbove = (guild: Guild, { userId }: { userId: string }): void => {
    const isAbove = highestOf(guild, userId) < highestOf(guild, botId);
    if (guild.ownerId === botId) return;
    if (guild.ownerId === userId || !isAbove) throw refuse('missingPermissions');
  };
  /** A role that the bot may give, take and change: one that stands below its own highest. */
  const reachRole = (guild: Guild, id: string): Role => {
    needGuildPermission(world, guild, P.ManageRoles);
    const role = guild.roles.get(id);
    if (role === undefined) throw refuse('unknownRole');
    if (role.managed || role.position >= highestOf(guild, botId)) {
      throw refuse('missingPermissions');
    }
    return role;
  };

  return routes;
}

/** Clients of today send `colors`, older ones `color`. */
function colorOf({ color, colors }: z.output<typeof zRoleForm>): { color?: number } {
  const found = color ?? colors?.primary_color;
  return found == null ? {} : { color: found };
}

/** The position of a member's highest role. */
function highestOf(guild: Guild, userId: string): number {
  const ids = [...(guild.members.get(userId)?.roleIds ?? [])];
  return Math.max(0, ...ids.map((id) => guild.roles.get(id)?.position ?? 0));
}
