import { PermissionFlagsBits as P } from 'discord.js';
import { setOverwrite } from '../../../discord-box/src/world/channels/change-channel.ts';
import type { DigestScene } from '../digest-scene.ts';

/** Whether the bot may read the history of the channel in which it posts. */
export async function permitReading(scene: DigestScene, isAllowed: boolean): Promise<void> {
  const { world, channels } = scene.sandbox;
  const { botId } = world.application;
  const { ReadMessageHistory } = P;
  const change = isAllowed
    ? { allow: ReadMessageHistory, deny: 0n }
    : { allow: 0n, deny: ReadMessageHistory };
  setOverwrite(world, channels.rust, botId, { kind: 'member', ...change });
  const cached = scene.bot.client.guilds.cache.get(scene.guild)?.channels.cache;
  await scene.eventually(
    () => cached?.get(channels.rust.id)?.permissionsFor(botId)?.has(ReadMessageHistory),
    (has) => has === isAllowed,
    'known to the bot',
  );
}
