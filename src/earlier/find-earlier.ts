import { isPlaceholder } from '../articles/messages/preview.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { findEarlier, type SubjectsNeeds } from '../ranking/subjects/subjects.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { isSpoiler } from '../text/clean.ts';

const SHOWN_AT_MOST = 3;

/** What the index of subjects and who asks it need. */
export const subjectsOf = (ranking: Ranking): SubjectsNeeds => ({ ranking, subjectOf });

/**
 * What is told to have been there before an article on its subject: most alike first, that more members are for than
 * against, and that `accept` allows.
 */
export async function earlierThan(
  ranking: Ranking,
  guild: Snowflake,
  { id }: Article,
  accept: (article: Article) => boolean,
): Promise<Article[]> {
  const isTold = (one: Article) => one.up > one.down && accept(one);
  const found = await findEarlier(subjectsOf(ranking), guild, id, isTold);
  return found.slice(0, SHOWN_AT_MOST);
}

/** An address says nothing of a subject, and nothing is to say what a spoiler is about. */
function subjectOf(article: Article): string | null {
  if (isSpoiler(article.title)) return null;
  return isPlaceholder(article) ? '' : article.title;
}
