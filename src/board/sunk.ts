import type { Guild } from 'discord.js';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { BoardState } from './stored-board.ts';
import type { Known } from './work.ts';

/** Whether messages seem to follow the board. Discord does not say so when the last ones are deleted. */
export function seemsSunk(
  guild: Guild,
  channelId: Snowflake,
  { message }: BoardState,
  { deletedBelow }: Known,
): boolean {
  const channel = guild.channels.cache.get(channelId);
  const last = channel?.isTextBased() ? channel.lastMessageId : null;
  if (last === null || message === null || last === deletedBelow) return false;
  return BigInt(last) > BigInt(message);
}
