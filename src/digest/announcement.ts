import {
  besideTitle,
  factsLine,
  type ItemContext,
  LONG_LINK,
  maskedAddress,
} from '../articles/lists/article-item.ts';
import { readReplies } from '../ranking/articles/discussions.ts';
import { isMaskable } from '../articles/masked-link.ts';
import { plainText } from '../text/clean.ts';
import { noteAnnounced, unannounced } from '../records/digests/announced.ts';
import type { Broken } from '../records/digests/digest-settings.ts';
import { translate } from '../text/catalogue.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { readState } from './posting/channel.ts';
import { nonceOf } from './posting/nonce.ts';
import type { DigestContext } from './context.ts';

type Assignment = {
  guild: Snowflake;
  channel: Snowflake;
  /** The oldest first. */
  interesting: readonly string[];
};

export type Announced =
  | { status: 'announced' }
  /** Nothing is left to announce here. */
  | { status: 'over' }
  | ({ status: 'broken'; locale: string } & Pick<Broken, 'reason' | 'detail'>);

const TITLE_LENGTH = 100;
/** The number of articles that fit into one message. */
const MOST_AT_ONCE = 3;

/**
 * Announces interesting articles that were not announced yet in one message. Call it again until
 * nothing is left. After a fault or a crash, Discord recognizes the message of the next minute's try by
 * its nonce.
 */
export async function announce(
  context: DigestContext,
  { guild, channel, interesting }: Assignment,
): Promise<Announced> {
  const { store, ranking, channels, log } = context;
  const news = await unannounced(store, guild, interesting);
  const articles = (await readArticles(ranking, guild, news))
    .filter((article) => article !== null)
    .filter((article) => article.interesting && article.listed)
    .slice(0, MOST_AT_ONCE);
  if (articles.length === 0) return { status: 'over' };
  const state = await readState(context, guild, channel);
  if (state.status === 'elsewhere') return { status: 'over' };
  if (state.status === 'broken') return state;
  const { locale } = state;
  const replies = await readReplies(ranking, guild, articles);
  const content = contentOf({ guild, locale, now: null, replies }, articles);
  const body = { content, allowed_mentions: { parse: [] } };
  const ids = articles.map(({ id }) => id);
  const nonce = nonceOf(guild, 'interesting', ...ids);
  const delivery = await channels.sendMessage({ guild, channel }, body, nonce);
  if (delivery.status === 'refused') return { ...delivery, status: 'broken', locale };
  await noteAnnounced(store, guild, ids);
  log.info({ guild, articles: ids }, 'Interesting articles were announced.');
  return { status: 'announced' };
}

/**
 * Writes two lines for each article. Discord shows a preview of the link if the article is the only
 * one.
 */
function contentOf(context: ItemContext, articles: readonly Article[]): string {
  const isAlone = articles.length === 1;
  return articles
    .flatMap((article) => {
      const named = `${linkedTitle(article, isAlone)}${besideTitle(article)}`;
      const line = translate(context.locale, 'announcement.line', { article: named });
      return [line, factsLine(article, context)];
    })
    .join('\n');
}

function linkedTitle({ title, link }: Article, hasPreview: boolean): string {
  const text = plainText(title, TITLE_LENGTH);
  if (!isMaskable(title, 'content') || link.length > LONG_LINK) return `**${text}**`;
  const address = maskedAddress(link);
  return `[${text}](${hasPreview ? address : `<${address}>`})`;
}
