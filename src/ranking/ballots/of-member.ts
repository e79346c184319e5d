import { readArticles } from '../articles/articles.ts';
import { openArticles } from '../articles/closing.ts';
import { walkArticles } from '../articles/walk.ts';
import { lockArticle } from '../articles/edit.ts';
import type { Ranking } from '../ranking.ts';
import { eraseRemovedVote, listRemoved } from '../articles/removed.ts';
import type { Article, Direction } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';
import { readVotesOf } from './voters.ts';
import { castVote } from './votes.ts';

/** Rows that one step reads. */
const STEP = 500;

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
type KeptVote = { article: Article; vote: Direction };

export async function votesOf(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
): Promise<KeptVote[]> {
  const ids = await openArticles(ranking, guild);
  const votes: KeptVote[] = [];
  for (let i = 0; i < ids.length; i += STEP) {
    const open = await readArticles(ranking, guild, ids.slice(i, i + STEP));
    const there = open.filter((article) => article !== null);
    votes.push(...(await keptVotes(ranking, guild, member, there)));
  }
  // Removed articles keep their voters until voting is over, in case they are restored.
  const removed = (await listRemoved(ranking, guild)).flatMap(({ article }) =>
    article.closed ? [] : [article],
  );
  for (let i = 0; i < removed.length; i += STEP) {
    votes.push(...(await keptVotes(ranking, guild, member, removed.slice(i, i + STEP))));
  }
  return votes;
}

async function keptVotes(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
  articles: readonly Article[],
): Promise<KeptVote[]> {
  const ids = articles.map(({ id }) => id);
  const votes = await readVotesOf(ranking, guild, member, ids);
  return articles.flatMap((article, i) => {
    const vote = votes[i]!;
    return vote === 'none' ? [] : [{ article, vote }];
  });
}

/** Erases every stored vote of a member, corrects the tallies, and returns the votes. */
export async function eraseVotes(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
  now: number,
): Promise<KeptVote[]> {
  const votes = await votesOf(ranking, guild, member);
  for (const { article } of votes) {
    // Try the removed article first: if it is restored in between, the call below finds it open.
    const removed = await eraseRemovedVote(ranking, guild, article.id, member);
    if (removed.status !== 'unknown') continue;
    const ballot = { guild, article: article.id, member, vote: 'none' as const };
    // Voting may be over while the voters are not deleted yet; use a time before the closing time.
    const at = Math.min(now, article.closesAtMs - 1);
    const { status } = await castVote(ranking, ballot, at);
    // The article was removed in between.
    if (status === 'unknown') await eraseRemovedVote(ranking, guild, article.id, member);
    if (status !== 'locked') continue;
    await lockArticle(ranking, { guild, article: article.id, locked: false });
    await castVote(ranking, ballot, at);
    await lockArticle(ranking, { guild, article: article.id, locked: true });
  }
  return votes;
}
