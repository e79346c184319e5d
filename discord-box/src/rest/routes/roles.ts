import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import { addRole, changeRole, deleteRole, moveRole } from '../../world/guilds/change-guild.ts';
import { rolePayload } from '../../world/guilds/guild-payload.ts';
import type { World } from '../../model/world.ts';
import { highestRole, needGuildPermission, reachGuild, reachLowerRole } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zRolePositions = z.array(z.object({ id: z.string(), position: z.int().min(0).nullish() }));
const zRoleForm = z.object({
  name: z.string().max(100).nullish(),
  permissions: z.union([z.string().regex(/^\d+$/), z.int().min(0)]).nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  colors: z.looseObject({ primary_color: z.int() }).nullish(),
  hoist: z.boolean().nullish(),
  mentionable: z.boolean().nullish(),
});

export function roleRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;

  routes.get('/guilds/:guild/roles', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    return context.json([...guild.roles.values()].map(rolePayload));
  });
  routes.get('/guilds/:guild/roles/member-counts', (context) => {
    const { id: everyone, roles, members } = reachGuild(world, context.req.param('guild'));
    const counts = [...roles.keys()]
      .filter((id) => id !== everyone)
      .map((id) => [id, [...members.values()].filter(({ roleIds }) => roleIds.has(id)).length]);
    return context.json(Object.fromEntries(counts));
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
    const highest = guild.ownerId === botId ? Infinity : highestRole(guild, botId);
    for (const { id, position } of moves) {
      reachLowerRole(world, guild, id);
      if (position >= highest) throw refuse('missingPermissions');
    }
    for (const { id, position } of moves.sort((a, b) => a.position - b.position)) {
      moveRole(world, guild, guild.roles.get(id)!, position);
    }
    return context.json([...guild.roles.values()].map(rolePayload));
  });
  routes.patch('/guilds/:guild/roles/:role', async (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    const role = reachLowerRole(world, guild, context.req.param('role'));
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
    deleteRole(world, guild, reachLowerRole(world, guild, context.req.param('role')));
    return context.body(null, 204);
  });

  return routes;
}

/** Clients of today send `colors`, older ones `color`. */
function colorOf({ color, colors }: z.output<typeof zRoleForm>): { color?: number } {
  const found = color ?? colors?.primary_color;
  return found == null ? {} : { color: found };
}
