import { changeArticle } from '../change-article.ts';
import { guildKeys } from '../keys.ts';
import { scanSet } from '../../redis/scan.ts';
import type { Ranking } from '../ranking.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import { compareIds, type Snowflake, snowflakeAt } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

/** Freezes an article's votes and deletes its voters. One round trip; idempotent. */
export function closeArticle(ranking: Ranking, guild: Snowflake, article: Snowflake) {
  return changeArticle(ranking, guild, article, scripts.closeArticle, 'closed');
}

/** The articles that have reached their closing time and are not frozen yet, oldest first. */
export async function articlesToClose(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<Snowflake[]> {
  // An id holds its time. This runs once a minute, so it sorts only what it returns.
  const next = snowflakeAt(now - VOTING_OPEN_MS + 1);
  const due: Snowflake[] = [];
  for await (const id of walkOpen(ranking, guild)) if (compareIds(next, id) > 0) due.push(id);
  return [...new Set(due)].sort(compareIds);
}

/** All articles whose votes are not frozen, newest first. */
export async function openArticles(ranking: Ranking, guild: Snowflake): Promise<Snowflake[]> {
  const ids = new Set<Snowflake>();
  for await (const id of walkOpen(ranking, guild)) ids.add(id);
  return [...ids].sort((a, b) => compareIds(b, a));
}

/** In bounded steps; an article may come twice. */
async function* walkOpen(ranking: Ranking, guild: Snowflake): AsyncGenerator<Snowflake> {
  for await (const page of scanSet(ranking.redis, guildKeys(ranking, guild).open)) {
    yield* page.filter((id) => /^[1-9]\d{0,19}$/.test(id));
  }
}
