import { randomBytes } from 'node:crypto';
import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { z } from 'zod';
import { isVoice } from '../model/channel.ts';
import type { World } from '../model/world.ts';
import { enterVoice, isFull, leaveVoice } from '../world/voice.ts';
import { may } from '../world/permissions.ts';
import type { Connection } from './identify.ts';
import { dispatch } from './session.ts';

const zRequest = z.object({
  guild_id: z.string(),
  channel_id: z.string().nullable(),
  self_mute: z.boolean().nullish(),
  self_deaf: z.boolean().nullish(),
});

const told = new WeakSet<World>();

/**
 * The bot joins a voice channel, or leaves it with null. It hears and says nothing there: this Discord has
 * no voice servers, which it tells as Discord does while one is down, with an address of null.
 */
export function moveBot({ world, session }: Connection, d: unknown): void {
  const asked = zRequest.safeParse(d);
  if (!asked.success || session === undefined) return;
  const { guild_id: guildId, channel_id: channelId, self_mute, self_deaf } = asked.data;
  const { botId } = world.application;
  const guild = world.guilds.get(guildId);
  if (guild?.members.has(botId) !== true) return;
  if (channelId === null) return void leaveVoice(world, guild, botId);
  const channel = world.channels.get(channelId);
  if (channel === undefined || channel.guildId !== guildId || !isVoice(channel)) return;
  const isThere = guild.voiceStates.get(botId)?.channelId === channelId;
  const full = !isThere && isFull(guild, channel);
  const needed = P.ViewChannel | P.Connect | (full ? P.MoveMembers : 0n);
  if (!may(world, channel, botId, needed)) {
    console.error(
      `The bot may not join the voice channel ${channel.name}: Discord takes no note of it.`,
    );
    return;
  }
  const own = { selfMuted: self_mute ?? false, selfDeafened: self_deaf ?? false };
  enterVoice(world, guild, botId, channel, own);
  if (isThere) return;
  if (!told.has(world)) {
    console.error('This Discord in a box has no voice servers: in its calls nothing is heard.');
  }
  told.add(world);
  const token = randomBytes(8).toString('hex');
  dispatch(session, 'VOICE_SERVER_UPDATE', { token, guild_id: guildId, endpoint: null });
}
