import type { Guild } from 'discord.js';
import { readMayName } from '../articles/held-back/held-back.ts';
import { itemContext } from '../articles/lists/item-context.ts';
import { optedOutAmong } from '../community/opted-out.ts';
import { isListed } from '../discord/access/visibility.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { BOARD_SIZE, boardMessage } from './board-message.ts';
import type { Picture } from './board-rules.ts';
import type { BoardState } from './stored-board.ts';
import { type KeepUpNeeds, localeOf } from './work.ts';

/** Articles that are read to find ten that may be shown. */
const CANDIDATES = 50;

export type Seen = NonNullable<Awaited<ReturnType<typeof lookAtList>>>;

/** What the board shows now; null if its channel is gone. What Discord holds back there is left out. */
export async function lookAtList(
  needs: KeepUpNeeds,
  guild: Guild,
  channelId: Snowflake,
  isChosen: (article: Article) => boolean = () => true,
) {
  const { lists, store, clock } = needs;
  const channel = guild.channels.cache.get(channelId);
  if (channel === undefined) return null;
  const isPublic = isListed(channel);
  const group = isPublic ? null : channelId;
  const list = { guild: guild.id, group, order: 'score', page: 1, pageSize: CANDIDATES } as const;
  const { articles: found } = await lists.page(list);
  const isFree = await readMayName(store, { guild: guild.id, channel: channelId }, clock.now());
  const articles = found
    .filter((one) => mayShow(one, channelId, isPublic) && isFree(one) && isChosen(one))
    .slice(0, BOARD_SIZE);
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
  };
  const { shown } = boardMessage(content, clock.now());
  return { content, picture: { articles: articles.map(({ id }) => id), shown } };
}

/** A channel that not everyone may view holds its own articles and those that everyone may see. */
function mayShow({ listed, home }: Article, channel: Snowflake, isPublic: boolean): boolean {
  return listed || (!isPublic && home === channel);
}

/** Whether the board shows what was removed, hidden or erased since, or names a member who opted out. */
export async function hasLeft(
  { ranking, store }: KeepUpNeeds,
  guild: Guild,
  channelId: Snowflake,
  state: BoardState,
  { articles }: Picture,
): Promise<boolean> {
  const channel = guild.channels.cache.get(channelId);
  const isPublic = channel !== undefined && isListed(channel);
  const missing = state.articles.filter((id) => !articles.includes(id));
  const [found, optedOut] = await Promise.all([
    readArticles(ranking, guild.id, missing),
    optedOutAmong(store, guild.id, state.named),
  ]);
  if (optedOut.size > 0) return true;
  return found.some((article) => article === null || !mayShow(article, channelId, isPublic));
}
