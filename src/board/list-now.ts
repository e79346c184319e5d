import type { Guild } from 'discord.js';
import { rankingIn } from '../articles/ranking-in.ts';
import { itemContext } from '../articles/lists/item-context.ts';
import { promotedBy } from '../community/may-stand.ts';
import { optedOutAmong } from '../community/opted-out.ts';
import { isListed } from '../discord/access/visibility.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { isUnjudged } from '../ranking/ballots/unjudged.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { boardMessage } from './board-message.ts';
import type { Picture } from './board-rules.ts';
import { BOARD_SIZE, type BoardState } from './stored-board.ts';
import { type KeepUpNeeds, localeOf } from './work.ts';

/** Articles that are read to find ten that may be shown, and to count what needs a vote: as many as are cached. */
const CANDIDATES = 200;

/** What a board would show now. */
export type ListNow = NonNullable<Awaited<ReturnType<typeof readListNow>>>;

/** What the board shows now; null if its channel is gone. */
export async function readListNow(needs: KeepUpNeeds, guild: Guild, channelId: Snowflake) {
  const { lists, clock } = needs;
  const channel = guild.channels.cache.get(channelId);
  if (channel === undefined) return null;
  const isPublic = isListed(channel);
  const group = isPublic ? null : channelId;
  const list = { guild: guild.id, group, order: 'score', page: 1, pageSize: CANDIDATES } as const;
  const { articles: found } = await lists.page(list);
  const { isListed: isShown } = rankingIn(needs, guild.id, channelId);
  const shown = found
    .map((one) => ({ ...one, listed: one.listed && isShown(guild.id, one.home) }))
    .filter((one) => mayShow(one, channelId, isPublic));
  const articles = bestOf(shown, await promotedIn(needs, guild));
  const unjudged = shown.filter((one) => isUnjudged(one, clock.now())).length;
  const locale = await localeOf(needs, guild);
  const of = { guild: guild.id, locale, ages: 'lasting', group } as const;
  const { replies, unnamed } = await itemContext(needs, articles, of);
  const content = {
    guild: guild.id,
    name: guild.name,
    locale,
    group,
    articles,
    replies,
    unnamed,
    unjudged,
  };
  const { shown: hash } = boardMessage(content, clock.now());
  return { content, picture: { articles: articles.map(({ id }) => id), shown: hash } };
}

/** No more are judged than are shown: all spellings of their words are compared. */
function bestOf(shown: readonly Article[], isPromoted: (one: Article) => boolean): Article[] {
  const articles: Article[] = [];
  for (const one of shown) {
    if (articles.length === BOARD_SIZE) break;
    if (isPromoted(one)) articles.push(one);
  }
  return articles;
}

/** A channel that not everyone may view holds its own articles and those that everyone may see. */
function mayShow({ listed, home }: Article, channel: Snowflake, isPublic: boolean): boolean {
  return listed || (!isPublic && home === channel);
}

async function promotedIn({ rules, clock }: KeepUpNeeds, { id }: Guild) {
  return promotedBy((await rules.read(id)).blocks, clock.now());
}

/** Whether the board shows what was removed, hidden, blocked or erased since, or names a member who opted out. */
export async function hasLeft(
  needs: KeepUpNeeds,
  guild: Guild,
  channelId: Snowflake,
  state: BoardState,
  { articles }: Picture,
): Promise<boolean> {
  const { store } = needs;
  const ranking = rankingIn(needs, guild.id, channelId);
  const channel = guild.channels.cache.get(channelId);
  const isPublic = channel !== undefined && isListed(channel);
  const missing = state.articles.filter((id) => !articles.includes(id));
  const [found, optedOut] = await Promise.all([
    readArticles(ranking, guild.id, missing),
    optedOutAmong(store, guild.id, state.named),
  ]);
  if (optedOut.size > 0) return true;
  const isPromoted = await promotedIn(needs, guild);
  return found.some(
    (article) => article === null || !mayShow(article, channelId, isPublic) || !isPromoted(article),
  );
}
