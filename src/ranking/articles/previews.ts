import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/** What Discord found at an article's link. Discord loads the picture; we keep its address. */
export type Preview = { description?: string; picture?: string };

/** UTF-16 units, about what two lines of a digest show. */
export const MAX_DESCRIPTION_LENGTH = 300;
/** A longer address is not kept. */
const MAX_PICTURE_LENGTH = 500;

/** Keeps what Discord found, in place of what was kept. The description is one line of clean text. */
export async function writePreview(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  { description = '', picture = '' }: Preview,
): Promise<void> {
  const { previews } = guildKeys(ranking.applicationId, guild);
  const address = isPicture(picture) ? picture : '';
  const line = description.replace(/[\n\r]+/g, ' ').slice(0, MAX_DESCRIPTION_LENGTH);
  if (address === '' && line === '') return;
  await ranking.redis.hset(previews, article, `${address}\n${line}`);
}

/** The previews by article, in the order asked for; empty where Discord found nothing. One round trip. */
export async function readPreviews(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<Preview[]> {
  if (ids.length === 0) return [];
  const { previews } = guildKeys(ranking.applicationId, guild);
  const kept = await ranking.redis.hmget(previews, ...ids);
  return kept.map((text) => {
    const [picture, description] = text?.split('\n') ?? [];
    return { ...(description ? { description } : {}), ...(picture ? { picture } : {}) };
  });
}

/** No white space: a line feed ends the address. */
function isPicture(address: string): boolean {
  return /^https:\/\/\S+$/.test(address) && address.length <= MAX_PICTURE_LENGTH;
}
