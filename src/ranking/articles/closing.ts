import { guildKeys } from '../keys.ts';
import { readSet } from '../../redis/scan.ts';
import type { Ranking } from '../ranking.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import { secondsOf, type Snowflake, snowflakeTimeMs, zSnowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

type CloseOutcome =
  | { status: 'closed' | 'unchanged'; up: number; down: number }
  | { status: 'unknown' };

/** Freezes an article's votes and deletes its voters. One round trip; idempotent. */
export async function closeArticle(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
): Promise<CloseOutcome> {
  const keys = guildKeys(ranking.applicationId, guild);
  const [status, up, down] = await scripts.closeArticle(
    ranking.redis,
    keys.articles,
    keys.open,
    ...keys.rankings,
    keys.voters(article),
    keys.older(article),
    article,
    secondsOf(article),
  );
  if (status === 'unknown') return { status };
  if (status === 'closed') ranking.changes.note(guild, article);
  return { status: status as 'closed' | 'unchanged', up: Number(up), down: Number(down) };
}

/** The articles that have reached their closing time and are not frozen yet, oldest first. */
export async function articlesToClose(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<Snowflake[]> {
  const open = await openArticles(ranking, guild);
  const due = open.filter((article) => snowflakeTimeMs(article) + VOTING_OPEN_MS <= now);
  return due.toReversed();
}

/** All articles whose votes are not frozen, newest first. */
export async function openArticles(ranking: Ranking, guild: Snowflake): Promise<Snowflake[]> {
  const { open } = guildKeys(ranking.applicationId, guild);
  const ids = [...(await readSet(ranking.redis, open))];
  return ids.filter((id) => zSnowflake.safeParse(id).success).sort(newestFirst);
}

/** Ids are compared as numbers: a longer id is newer. */
function newestFirst(a: Snowflake, b: Snowflake): number {
  return b.length - a.length || (a < b ? 1 : -1);
}
