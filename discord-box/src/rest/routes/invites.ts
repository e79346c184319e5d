import { randomBytes } from 'node:crypto';
import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Invite, World } from '../../model/world.ts';
import { addInvite, deleteInvite, invitePayload, isExpired } from '../../world/guilds/invites.ts';
import { needGuildPermission, needPermission, reachChannel, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { parseForm } from '../parse-form.ts';

const zInviteForm = z.object({
  max_age: z.int().min(0).max(604_800).nullish(),
  max_uses: z.int().min(0).max(100).nullish(),
  temporary: z.boolean().nullish(),
  unique: z.boolean().nullish(),
});
const DAY_SECONDS = 86_400;

/** Invites to channels. Who comes by one is `operator.addPerson({ invite })`. */
export function inviteRoutes(world: World): Hono {
  const routes = new Hono();

  const reachInvite = (code: string): Invite => {
    const invite = world.invites.get(code);
    if (invite === undefined || isExpired(world, invite)) throw refuse('unknownInvite');
    return invite;
  };
  const list = (isOne: (invite: Invite) => boolean) =>
    [...world.invites.values()]
      .filter((invite) => isOne(invite) && !isExpired(world, invite))
      .map((invite) => invitePayload(world, invite, true));

  routes.post('/channels/:channel/invites', async (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.CreateInstantInvite);
    const form = parseForm(zInviteForm, (await readBody(context)).body);
    const invite: Invite = {
      code: randomBytes(6).toString('base64url'),
      guildId: channel.guildId ?? '',
      channelId: channel.id,
      inviterId: world.application.botId,
      maxAgeSeconds: form.max_age ?? DAY_SECONDS,
      maxUses: form.max_uses ?? 0,
      uses: 0,
      isTemporary: form.temporary ?? false,
      createdAtMs: world.clock.now(),
    };
    addInvite(world, invite);
    return context.json(invitePayload(world, invite, true));
  });
  routes.get('/channels/:channel/invites', (context) => {
    const channel = reachChannel(world, context.req.param('channel'));
    needPermission(world, channel, P.ManageChannels);
    return context.json(list(({ channelId }) => channelId === channel.id));
  });
  routes.get('/guilds/:guild/invites', (context) => {
    const guild = reachGuild(world, context.req.param('guild'));
    needGuildPermission(world, guild, P.ManageGuild);
    return context.json(list(({ guildId }) => guildId === guild.id));
  });
  routes.get('/invites/:code', (context) => {
    const invite = reachInvite(context.req.param('code'));
    const members = world.guilds.get(invite.guildId)?.members.size ?? 0;
    const withCounts = context.req.query('with_counts') === 'true';
    return context.json({
      ...invitePayload(world, invite, false),
      ...(withCounts ? { approximate_member_count: members, approximate_presence_count: 1 } : {}),
    });
  });
  routes.delete('/invites/:code', (context) => {
    const invite = reachInvite(context.req.param('code'));
    needPermission(world, reachChannel(world, invite.channelId), P.ManageChannels);
    deleteInvite(world, invite);
    return context.json(invitePayload(world, invite, false));
  });

  return routes;
}
