import { optedOutAmong } from '../../community/opted-out.ts';
import { type Article } from '../../ranking/articles/articles.ts';
import { readReplies } from '../../ranking/articles/discussions.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ItemContext } from './article-item.ts';

/** What a list's lines say besides the articles' own data. */
interface ItemNeeds {
  /** Where the numbers of messages in discussions are. */
  ranking: Ranking;
  /** Where the members who opted out are. */
  store: Store;
  /** Discord's time, by which voting is open. */
  clock: Clock;
}

/** Reads what the lines of these articles need. Posters who opted out are not named. */
export async function itemContext(
  { ranking, store, clock }: ItemNeeds,
  articles: readonly Article[],
  context: Omit<ItemContext, 'replies' | 'unnamed' | 'now'>,
): Promise<ItemContext> {
  const posters = [...new Set(articles.map(({ poster }) => poster))];
  const [replies, unnamed] = await Promise.all([
    readReplies(ranking, context.guild, articles),
    optedOutAmong(store, context.guild, posters),
  ]);
  return { ...context, now: clock.now(), replies, unnamed };
}
