import type { PendingPosts } from '../../articles/pending-posts.ts';
import { readArticle } from '../../ranking/articles/articles.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { THUMBS, type VoteSigns } from '../../ranking/vote-signs.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

type Failed = (error: unknown) => void;
type Of = { guild: Snowflake; channel: Snowflake; article: Snowflake };

/** The signs of the articles under which members react with other emoji than 👍 and 👎. */
export interface SignsOfArticles {
  /**
   * Calls back with the article's signs; null: it is none, or they are not needed. That is at once, unless they are to
   * be read, or others wait for this article. `failed` is called instead if they cannot be read.
   */
  with(of: Of, isNeeded: boolean, act: (signs: VoteSigns | null) => void, failed?: Failed): void;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
}

export function openSignsOfArticles({
  ranking,
  pendingPosts,
}: {
  ranking: Ranking;
  pendingPosts: PendingPosts;
}): SignsOfArticles {
  /** The last of those that wait for an article. */
  const waiting = new Map<Snowflake, Promise<void>>();

  async function read({ guild, channel, article }: Of): Promise<VoteSigns | null> {
    // A reaction can arrive before its article is committed.
    await pendingPosts.commitOf(channel, article);
    const stored = await readArticle(ranking, guild, article);
    return stored && (stored.signs ?? THUMBS);
  }

  return {
    with(of, isNeeded, act, failed = () => {}) {
      const { article } = of;
      const before = waiting.get(article);
      if (before === undefined && !isNeeded) return act(null);
      const reading = isNeeded ? read(of) : Promise.resolve(null);
      const work = (before ?? Promise.resolve())
        .then(() => reading)
        .then(act, failed)
        .finally(() => {
          if (waiting.get(article) === work) waiting.delete(article);
        });
      reading.catch(() => {});
      waiting.set(article, work);
    },
    async settled() {
      while (waiting.size > 0) await Promise.all(waiting.values());
    },
  };
}
