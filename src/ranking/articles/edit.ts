import { changeArticle } from './change-article.ts';
import { guildKeys } from '../keys.ts';
import { digestOf } from '../links/reservations.ts';
import type { Ranking } from '../ranking.ts';
import { listingOf } from '../row.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

/**
 * Gives an article another home group; its message stays in its channel. `listed`: whether the new
 * home is listed.
 * One round trip; idempotent.
 */
export async function moveArticle(
  ranking: Ranking,
  move: { guild: Snowflake; article: Snowflake; home: Snowflake; listed: boolean },
): Promise<{ status: 'moved' | 'unchanged' | 'unknown' }> {
  const { article, home, listed } = move;
  const target = [secondsOf(article), home, listingOf(listed), ''];
  const [status] = await changeArticle(ranking, move, scripts.setHome, 'moved', ...target);
  return { status };
}

/**
 * Gives an article another title; line feeds in it become spaces. `from`: replace only this title.
 * One round trip; idempotent.
 */
export async function retitleArticle(
  ranking: Ranking,
  change: { guild: Snowflake; article: Snowflake; title: string; from?: string },
): Promise<{ status: 'retitled' | 'unchanged' | 'unknown' }> {
  const line = change.title.replace(/[\n\r]+/g, ' ');
  const titles = [line, change.from ?? ''];
  const [status] = await changeArticle(
    ranking,
    change,
    scripts.retitleArticle,
    'retitled',
    ...titles,
  );
  return { status };
}

/** Stops the voting on an article, or opens it again. Existing votes stay. */
export async function lockArticle(
  ranking: Ranking,
  change: { guild: Snowflake; article: Snowflake; locked: boolean },
): Promise<{ status: 'changed' | 'unchanged' | 'unknown' | 'closed' }> {
  const state = change.locked ? 'k' : 'o';
  const [status] = await changeArticle(ranking, change, scripts.lockArticle, 'changed', state);
  return { status };
}

/** Allows a link to be posted again while its article stays. */
export async function freeLink(
  ranking: Ranking,
  { guild, linkName, article }: { guild: Snowflake; linkName: string; article: Snowflake },
): Promise<void> {
  const { ofScripts } = guildKeys(ranking.applicationId, guild);
  await scripts.freeLink(ranking.redis, ...ofScripts, article, digestOf(linkName));
}
