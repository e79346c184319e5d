import { changeArticle } from '../change-article.ts';
import type { Ranking } from '../ranking.ts';
import { asOneLine, listingOf } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

type Of = { guild: Snowflake; article: Snowflake };

/**
 * Gives an article another home group; its message stays in its channel. `listed`: whether the new
 * home is listed.
 * One round trip; idempotent.
 */
export function moveArticle(
  ranking: Ranking,
  { guild, article, home, listed }: Of & { home: Snowflake; listed: boolean },
) {
  const target = [home, listingOf(listed), ''];
  return changeArticle(ranking, guild, article, scripts.setHome, 'moved', ...target);
}

/**
 * Gives an article another title; line feeds in it become spaces. `from`: replace only this title.
 * One round trip; idempotent.
 */
export function retitleArticle(
  ranking: Ranking,
  { guild, article, title, from = '' }: Of & { title: string; from?: string },
) {
  const titles = [asOneLine(title), from];
  return changeArticle(ranking, guild, article, scripts.retitleArticle, 'retitled', ...titles);
}

/** Stops the voting on an article, or opens it again. Existing votes stay. */
export function lockArticle(
  ranking: Ranking,
  { guild, article, locked }: Of & { locked: boolean },
) {
  const state = locked ? 'k' : 'o';
  return changeArticle(ranking, guild, article, scripts.lockArticle, 'changed', state);
}
