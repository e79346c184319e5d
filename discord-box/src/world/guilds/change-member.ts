import { GatewayIntentBits } from 'discord-api-types/v10';
import { tellVisibility } from '../channels/tell-visibility.ts';
import type { Guild, Member } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { userPayload } from '../user-payload.ts';
import { guildCreatePayload } from './guild-payload.ts';
import { memberPayload } from '../member-payload.ts';
import { leaveVoice } from '../voice.ts';

export function addMember(
  world: World,
  guild: Guild,
  userId: Snowflake,
  member: { joinedAtMs?: number; roleIds?: Iterable<Snowflake>; nick?: string } = {},
): Member {
  const added: Member = {
    userId,
    nick: member.nick ?? null,
    roleIds: new Set(member.roleIds),
    joinedAtMs: member.joinedAtMs ?? world.clock.now(),
    timedOutUntilMs: null,
    pending: false,
    isQuarantined: false,
    muted: false,
    deafened: false,
  };
  guild.members.set(userId, added);
  const isBot = userId === world.application.botId;
  world.changes.emit({
    t: isBot ? 'GUILD_CREATE' : 'GUILD_MEMBER_ADD',
    d: isBot
      ? guildCreatePayload(world, guild)
      : { guild_id: guild.id, ...memberPayload(world, added) },
    guildId: guild.id,
    intents: isBot ? GatewayIntentBits.Guilds : GatewayIntentBits.GuildMembers,
  });
  return added;
}

export function changeMember(
  world: World,
  guild: Guild,
  member: Member,
  change: Partial<Omit<Member, 'userId'>>,
): void {
  const isBot = member.userId === world.application.botId;
  const make = (): void => {
    Object.assign(member, change);
    world.changes.emit({
      t: 'GUILD_MEMBER_UPDATE',
      d: { guild_id: guild.id, ...memberPayload(world, member) },
      guildId: guild.id,
      // The bot hears of its own changes without the privileged intent.
      intents: isBot ? 0 : GatewayIntentBits.GuildMembers,
    });
  };
  if (isBot) tellVisibility(world, guild.id, make);
  else make();
}

/** A member leaves or is kicked; the bot is told of its own removal with GUILD_DELETE. */
export function removeMember(world: World, guild: Guild, userId: Snowflake): void {
  const isBot = userId === world.application.botId;
  if (isBot) {
    // Told while it still is a member: afterwards the guild's events no longer reach it.
    const intents = GatewayIntentBits.Guilds;
    world.changes.emit({ t: 'GUILD_DELETE', d: { id: guild.id }, guildId: guild.id, intents });
  }
  leaveVoice(world, guild, userId);
  guild.members.delete(userId);
  if (isBot) return;
  world.changes.emit({
    t: 'GUILD_MEMBER_REMOVE',
    d: { guild_id: guild.id, user: userPayload(world, userId) },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildMembers,
  });
}

/** A banned user is no member any more, and cannot become one. */
export function ban(world: World, guild: Guild, userId: Snowflake, reason: string): void {
  guild.bans.set(userId, reason === '' ? null : reason);
  emitBan(world, guild, 'GUILD_BAN_ADD', userId);
  if (guild.members.has(userId)) removeMember(world, guild, userId);
}

/** Returns whether there was a ban. */
export function unban(world: World, guild: Guild, userId: Snowflake): boolean {
  if (!guild.bans.delete(userId)) return false;
  emitBan(world, guild, 'GUILD_BAN_REMOVE', userId);
  return true;
}

function emitBan(world: World, guild: Guild, t: string, userId: Snowflake): void {
  world.changes.emit({
    t,
    d: { guild_id: guild.id, user: userPayload(world, userId) },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildModeration,
  });
}
