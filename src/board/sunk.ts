import { type Guild, Routes } from 'discord.js';
import { missingPermissions } from '../discord/access/permissions.ts';
import { readPage } from '../discord/requests/read-messages.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { BoardState } from './stored-board.ts';
import type { Known, Work } from './work.ts';

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

/** Whether messages follow the board, by the channel's own list of them. */
export async function isSunk(
  { needs, guild, choice, state }: Work,
  known: Known,
): Promise<boolean> {
  const { channel } = choice;
  const place = guild.channels.cache.get(channel);
  // Discord would answer with an empty list.
  if (!place || missingPermissions(place, ['ReadMessageHistory']).length > 0) return true;
  const deletedBelow = place.isTextBased() ? place.lastMessageId : null;
  const query = { after: state.message ?? '', limit: '1' };
  const target = { guild: guild.id, channel };
  const found = await needs.requests.get(target, Routes.channelMessages(channel), query);
  if (readPage(found).length > 0) return true;
  known.deletedBelow = deletedBelow;
  return false;
}
