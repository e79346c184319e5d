import { GuildMemberFlags } from 'discord-api-types/v10';
import type { Member } from '../model/guild.ts';
import type { World } from '../model/world.ts';
import { userPayload } from './user-payload.ts';

const QUARANTINED = {
  name: GuildMemberFlags.AutomodQuarantinedUsernameOrGuildNickname,
  tag: GuildMemberFlags.AutoModQuarantinedGuildTag,
};

export function memberPayload(world: World, member: Member): Record<string, unknown> {
  return { user: userPayload(world, member.userId), ...memberWithoutUser(member) };
}

export function memberWithoutUser(member: Member): Record<string, unknown> {
  return {
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: [...member.roleIds],
    joined_at: new Date(member.joinedAtMs).toISOString(),
    premium_since: null,
    deaf: member.deafened,
    mute: member.muted,
    flags: member.isQuarantined === false ? 0 : QUARANTINED[member.isQuarantined],
    pending: member.pending,
    communication_disabled_until:
      member.timedOutUntilMs === null ? null : new Date(member.timedOutUntilMs).toISOString(),
  };
}
