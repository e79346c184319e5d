import {
  factsLine,
  type ItemContext,
  linkWithin,
  LONG_LINK,
} from '../articles/lists/article-item.ts';
import { itemContext } from '../articles/lists/item-context.ts';
import { besideHost, linkedTitle } from '../articles/linked-title.ts';
import { limits } from '../discord/limits.ts';
import type { Body } from '../messages/messages.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { titleLink } from '../text/title-link.ts';
import type { DigestContext } from './posting/posting-context.ts';

const TITLE_LENGTH = 100;

/** Writes the message that announces these articles, or the first of them that fit into one. Null: there is none. */
export async function writeAnnouncement(
  context: DigestContext,
  to: { guild: Snowflake; locale: string; isPlain: boolean },
  articles: readonly Article[],
): Promise<{ named: Snowflake[]; body: Body | null }> {
  if (articles.length === 0) return { named: [], body: null };
  const items = await itemContext(context, articles, {
    ...to,
    ages: 'lasting',
    shownIn: 'content',
  });
  const { fitting, content } = fittingOf(items, articles);
  const body = { content, allowed_mentions: { parse: [] } };
  return { named: fitting.map(({ id }) => id), body };
}

/** Whether an announcement names an article: the line of its facts ends with the way to its message. */
export function isNamedIn(content: string, article: Snowflake): boolean {
  return content
    .split('\n')
    .some((line) => line.startsWith('-# ') && line.endsWith(`/${article})`));
}

/** A single article always fits. */
function fittingOf(
  items: ItemContext,
  articles: readonly Article[],
): { fitting: readonly Article[]; content: string } {
  const content = contentOf(items, articles);
  if (content.length <= limits.contentLength) return { fitting: articles, content };
  return fittingOf(items, articles.slice(0, -1));
}

/**
 * Writes two lines for each article. Discord shows a preview of the link if the article is the only
 * one.
 */
function contentOf(items: ItemContext, articles: readonly Article[]): string {
  const isAlone = articles.length === 1;
  return articles
    .flatMap((article) => {
      const link = items.isPlain ? null : linkWithin(article, LONG_LINK);
      const address = link === null || isAlone ? link : `<${link}>`;
      const { text, host } = titleLink(article, items);
      const title = linkedTitle(text, address, {
        shownIn: 'content',
        length: TITLE_LENGTH,
        word: translate(items.locale, 'list.visit'),
      });
      const named = `${title}${besideHost(host)}`;
      const line = translate(items.locale, 'announcement.line', { article: named });
      return [line, factsLine(article, items)];
    })
    .join('\n');
}
