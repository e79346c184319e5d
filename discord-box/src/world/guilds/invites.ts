import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Invite, World } from '../../model/world.ts';
import { userPayload } from '../user-payload.ts';

/** An invite as a response tells it, with how often it was used, or as a stranger sees it. */
export function invitePayload(world: World, invite: Invite, isForGuild: boolean) {
  const guild = world.guilds.get(invite.guildId);
  const channel = world.channels.get(invite.channelId);
  return {
    type: 0,
    code: invite.code,
    guild_id: invite.guildId,
    guild: {
      id: invite.guildId,
      name: guild?.name ?? '',
      splash: null,
      banner: null,
      description: null,
      icon: null,
      features: ['COMMUNITY'],
      verification_level: 0,
      vanity_url_code: null,
      nsfw_level: 0,
      nsfw: false,
      premium_subscription_count: 0,
    },
    channel: { id: invite.channelId, name: channel?.name ?? '', type: channel?.type ?? 0 },
    inviter: userPayload(world, invite.inviterId),
    expires_at: expiryOf(invite),
    ...(isForGuild ? useOf(invite) : {}),
  };
}

export function addInvite(world: World, invite: Invite): void {
  world.invites.set(invite.code, invite);
  const { channelId, guildId, inviterId } = invite;
  world.changes.emit({
    t: 'INVITE_CREATE',
    d: {
      channel_id: channelId,
      guild_id: guildId,
      code: invite.code,
      inviter: userPayload(world, inviterId),
      type: 0,
      expires_at: expiryOf(invite),
      ...useOf(invite),
    },
    guildId,
    intents: GatewayIntentBits.GuildInvites,
  });
}

export function deleteInvite(world: World, { code, guildId, channelId }: Invite): void {
  world.invites.delete(code);
  world.changes.emit({
    t: 'INVITE_DELETE',
    d: { code, guild_id: guildId, channel_id: channelId },
    guildId,
    intents: GatewayIntentBits.GuildInvites,
  });
}

/** Somebody came by it. One that was used often enough is gone. */
export function useInvite(world: World, invite: Invite): void {
  invite.uses += 1;
  if (invite.maxUses > 0 && invite.uses >= invite.maxUses) deleteInvite(world, invite);
}

export function isExpired(world: World, { maxAgeSeconds, createdAtMs }: Invite): boolean {
  return maxAgeSeconds > 0 && world.clock.now() >= createdAtMs + maxAgeSeconds * 1000;
}

function useOf({ uses, maxUses, maxAgeSeconds, isTemporary, createdAtMs }: Invite) {
  return {
    uses,
    max_uses: maxUses,
    max_age: maxAgeSeconds,
    temporary: isTemporary,
    created_at: new Date(createdAtMs).toISOString(),
  };
}

function expiryOf({ maxAgeSeconds, createdAtMs }: Invite): string | null {
  return maxAgeSeconds === 0 ? null : new Date(createdAtMs + maxAgeSeconds * 1000).toISOString();
}
