import { inSigns } from '../articles/lists/article-item.ts';
import { linkedTitle } from '../articles/linked-title.ts';
import type { Article } from '../ranking/articles/articles.ts';
import { DAY_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { dateFormat, netVotesText } from '../text/facts.ts';
import { messageLink } from '../text/mentions.ts';
import { titleText } from '../text/title-link.ts';

/** Three of them are a line or two. */
const TITLE_LENGTH = 60;

type Of = { guild: Snowflake; locale: string; now: number };

/** `Earlier here: Hex maps in practice ▲ 41, March · …`; each title leads to its message. Empty for none. In an embed. */
export function earlierLine(found: readonly Article[], of: Of): string {
  if (found.length === 0) return '';
  const articles = found.map((article) => itemText(article, of)).join(' · ');
  return translate(of.locale, 'earlier.line', { articles });
}

function itemText(article: Article, { guild, locale, now }: Of): string {
  const title = linkedTitle(titleText(article, locale), messageLink(guild, article), {
    shownIn: 'embed',
    length: TITLE_LENGTH,
    word: translate(locale, 'list.read'),
  });
  const votes = inSigns(netVotesText(locale, article), article);
  return translate(locale, 'earlier.article', {
    title,
    votes,
    when: whenText(article, locale, now),
  });
}

/** The day of the last weeks, the month of the last year, before that the month and the year. */
function whenText({ postedAtMs }: Article, locale: string, now: number): string {
  const age = now - postedAtMs;
  const day = age < 45 * DAY_MS ? ({ day: 'numeric' } as const) : {};
  const year = age > 330 * DAY_MS ? ({ year: 'numeric' } as const) : {};
  const options = { month: 'long', ...day, ...year, timeZone: 'UTC' } as const;
  return dateFormat(locale, options).format(postedAtMs);
}
