import { GatewayIntentBits } from 'discord-api-types/v10';
import type { Guild, Sticker } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';

export function stickerPayload(guild: Guild, sticker: Sticker): Json {
  const { id, name, description, tags, format } = sticker;
  return {
    id,
    name,
    description,
    tags,
    type: 2,
    format_type: format,
    available: true,
    guild_id: guild.id,
  };
}

/** The guild has one more sticker, one less, or one with another name. */
export function changeStickers(world: World, guild: Guild, change: () => void): void {
  change();
  const stickers = [...guild.stickers.values()].map((one) => stickerPayload(guild, one));
  world.changes.emit({
    t: 'GUILD_STICKERS_UPDATE',
    d: { guild_id: guild.id, stickers },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildExpressions,
  });
}
