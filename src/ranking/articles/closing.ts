import { changeArticle } from './edit.ts';
import { guildKeys } from '../keys.ts';
import { readSet } from '../../redis/scan.ts';
import type { Ranking } from '../ranking.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import { compareIds, type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';

/** Freezes an article's votes and deletes its voters. One round trip; idempotent. */
export function closeArticle(ranking: Ranking, guild: Snowflake, article: Snowflake) {
  return changeArticle(ranking, guild, article, scripts.closeArticle, 'closed');
}

/**
 * Gives a closed article another result, or without one the ★ by the mark of now. `up` has the poster's own
 * vote. One round trip; idempotent.
 */
export function setResult(
  ranking: Ranking,
  {
    guild,
    article,
    up,
    down,
  }: { guild: Snowflake; article: Snowflake; up?: number; down?: number },
) {
  const result = [up ?? '', down ?? ''];
  return changeArticle(ranking, guild, article, scripts.setResult, 'changed', ...result);
}

/** The articles that have reached their closing time and are not frozen yet, oldest first. */
export async function articlesToClose(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<Snowflake[]> {
  const open = await articlesInVoting(ranking, guild);
  return open.filter((id) => now >= snowflakeTimeMs(id) + VOTING_OPEN_MS).toReversed();
}

/** All articles whose votes are not frozen, newest first. */
export async function articlesInVoting(ranking: Ranking, guild: Snowflake): Promise<Snowflake[]> {
  const ids = await readSet(ranking.redis, guildKeys(ranking, guild).open);
  // Damage can leave other words.
  return [...ids].filter((id) => /^[1-9]\d{0,19}$/.test(id)).sort((a, b) => compareIds(b, a));
}
