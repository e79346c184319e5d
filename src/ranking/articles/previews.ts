import { readFields } from '../../redis/scan.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { asOneLine } from '../row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** Discord's preview of an article's link. Discord loads the picture; only its address is stored. */
export type Preview = {
  description?: string;
  picture?: string;
  /** The address of Discord's own copy of the picture. */
  copy?: string;
};

/** In UTF-16 units: about two lines of a digest. */
export const MAX_DESCRIPTION_LENGTH = 300;
/** A longer address is not stored. */
const MAX_PICTURE_LENGTH = 500;

/** Stores a preview and replaces the old one, and has the article's subject indexed by it. An empty preview changes nothing. */
export async function writePreview(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  { description = '', picture = '', copy = '' }: Preview,
): Promise<void> {
  const { previews } = guildKeys(ranking, guild);
  const address = isPicture(picture) ? picture : '';
  const line = asOneLine(description).slice(0, MAX_DESCRIPTION_LENGTH);
  if (address === '' && line === '') return;
  await ranking.redis.hset(
    previews,
    article,
    `${address}\n${line}${isAddress(copy) ? `\n${copy}` : ''}`,
  );
  if (line === '') return;
  await ranking.redis.zadd(storeKeys(ranking, guild).due, 0, `earlier:${article}`);
  ranking.onPlanned(guild, 0);
}

/** The previews of articles, in the order of `ids`; empty objects for none. */
export async function readPreviews(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<Preview[]> {
  const stored = await readFields(ranking.redis, guildKeys(ranking, guild).previews, ids);
  return ids.map((id) => {
    const [picture, description, copy] = stored.get(id)?.split('\n') ?? [];
    return {
      ...(description ? { description } : {}),
      ...(picture ? { picture } : {}),
      ...(copy ? { copy } : {}),
    };
  });
}

/** An address with white space is refused, since a line feed ends the stored address. */
function isPicture(address: string): boolean {
  return address.startsWith('https:') && isAddress(address);
}

/** Who shows a copy looks whether it is Discord's. */
function isAddress(address: string): boolean {
  return /^https?:\/\/\S+$/.test(address) && address.length <= MAX_PICTURE_LENGTH;
}
