import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Guild, Sound } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';

export function soundPayload(guild: Guild, sound: Sound): Json {
  const { id, name, volume, emojiId, emojiName } = sound;
  return {
    sound_id: id,
    name,
    volume,
    emoji_id: emojiId,
    emoji_name: emojiName,
    guild_id: guild.id,
    available: true,
  };
}

/** The soundboard has one more sound, one less, or another one. */
export function tellSound(
  world: World,
  guild: Guild,
  verb: 'CREATE' | 'UPDATE' | 'DELETE',
  sound: Sound,
): void {
  const isGone = verb === 'DELETE';
  world.changes.emit({
    t: `GUILD_SOUNDBOARD_SOUND_${verb}`,
    d: isGone ? { sound_id: sound.id, guild_id: guild.id } : soundPayload(guild, sound),
    guildId: guild.id,
    intents: GatewayIntentBits.GuildExpressions,
  });
}
