import { readArticles } from '../articles/articles.ts';
import { changeArticle } from '../articles/edit.ts';
import { articlesInVoting } from '../articles/closing.ts';
import { walkArticles } from '../articles/walk-articles.ts';
import type { Ranking } from '../ranking.ts';
import { walkRemoved } from '../articles/removed.ts';
import type { Article, Direction } from '../row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { readVotesOf } from './voters.ts';
import { scripts } from '../scripts.ts';

/** All articles of a poster, with the removed ones, oldest first. Bounded steps over the whole guild. */
export async function postsOf(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
): Promise<Article[]> {
  const posts: Article[] = [];
  for await (const { article } of walkArticles(ranking, guild)) {
    if (article.poster === member) posts.push(article);
  }
  return posts.toReversed();
}

/** A vote that is still stored: on an open article, or on one that was removed while open. */
type StoredVote = { article: Article; vote: Direction };

export async function votesOf(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
): Promise<StoredVote[]> {
  const found = new Map<Snowflake, Article>();
  // Removed articles keep their voters until voting is over, in case they are restored.
  const findRemoved = async () => {
    for await (const { article } of walkRemoved(ranking, guild)) {
      if (!article.closed) found.set(article.id, article);
    }
  };
  // Before and after the open ones: an article can be removed or restored meanwhile.
  await findRemoved();
  for (const article of await readArticles(
    ranking,
    guild,
    await articlesInVoting(ranking, guild),
  )) {
    if (article) found.set(article.id, article);
  }
  await findRemoved();
  const articles = [...found.values()];
  const votes = await readVotesOf(ranking, guild, member, [...found.keys()]);
  return articles.flatMap((article, i) => {
    const vote = votes[i]!;
    return vote === 'none' ? [] : [{ article, vote }];
  });
}

/**
 * Erases every stored vote of a member, corrects the tallies, and returns the votes. `untilMs`: those on what was posted
 * later stay.
 */
export async function eraseVotes(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<StoredVote[]> {
  const all = await votesOf(ranking, guild, member);
  const votes = all.filter(({ article }) => article.postedAtMs <= untilMs);
  for (const { article } of votes) {
    await changeArticle(ranking, guild, article.id, scripts.eraseVote, 'erased', member);
  }
  return votes;
}

/** Those of some articles on which a member can vote and has not voted. */
export async function unvotedAmong(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
  articles: readonly Article[],
  now: number,
): Promise<Article[]> {
  const votable = articles.filter(
    ({ closed, locked, poster, closesAtMs }) =>
      !closed && !locked && poster !== member && now < closesAtMs,
  );
  const ids = votable.map(({ id }) => id);
  const votes = await readVotesOf(ranking, guild, member, ids);
  return votable.filter((_, n) => votes[n] === 'none');
}
