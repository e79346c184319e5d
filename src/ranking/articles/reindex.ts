import { walkArticles } from './walk-articles.ts';
import { LINK_RULES_VERSION } from '../links/canonical.ts';
import { guildKeys } from '../keys.ts';
import { linkHashOf, linkNames } from '../links/reservations.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';

/**
 * Indexes the links of a guild by the current rules, so that duplicates of links from older rules are
 * found, and returns the number of articles that got another name. Bounded steps; idempotent: repeat
 * an interrupted call. If two articles now have the same link, the older one has the name.
 */
export async function reindexLinks(
  ranking: Ranking,
  guild: Snowflake,
  stopping?: AbortSignal,
): Promise<number> {
  const { redis } = ranking;
  const { ofScripts, linkRules } = guildKeys(ranking, guild);
  if ((await redis.get(linkRules)) === LINK_RULES_VERSION) return 0;
  let moved = 0;
  for await (const { article } of walkArticles(ranking, guild)) {
    if (stopping?.aborted) return moved;
    const linkHashes = linkNames(article).map(linkHashOf);
    const [status] = await scripts.reindexLink(redis, ...ofScripts, article.id, ...linkHashes);
    if (status === 'moved') moved += 1;
  }
  await redis.set(linkRules, LINK_RULES_VERSION);
  return moved;
}
