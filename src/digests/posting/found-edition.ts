import type { Article } from '../../ranking/articles/articles.ts';
import { readArticles } from '../../ranking/articles/articles.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Found } from '../../messages/messages.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import {
  bySection,
  type EditionContent,
  factsIn,
  SECTIONS,
  type Section,
  sectionNames,
  type Shown,
} from '../../editions/stored-editions.ts';
import type { Draft } from '../content/draft.ts';
import type { Edition } from '../content/edition-message.ts';

/** The articles that a message of an edition names: the best, then in their order those of its list and sections. */
type Named = Record<Section | 'articles', Snowflake[]>;

/**
 * What an edition shows that stands in its channel and that Redis does not know: the articles that its message names,
 * with what is known of them now. A message whose embeds somebody took away is taken to show what was drafted.
 */
export async function contentOfFound(
  ranking: Ranking,
  { guild, locale }: Pick<Edition, 'guild' | 'locale'>,
  found: Found,
  { body, shown }: Draft,
): Promise<Draft> {
  const named = namedIn(found, guild, locale);
  if (shown === null || named.articles.length === 0) return { body, shown };
  const ids = [...new Set(Object.values(named).flat())];
  const articles = await readArticles(ranking, guild, ids);
  const factsOf = (id: Snowflake): Shown =>
    factsIn(shown).find((one) => one.id === id) ?? factsNow(id, articles[ids.indexOf(id)] ?? null);
  const content: EditionContent = {
    ...shown,
    articles: named.articles.map(factsOf),
    isLarge: found.embeds[0]?.image != null,
    ...bySection((section) => named[section].map(factsOf)),
  };
  return { body, shown: content };
}

/** Of an article that is not known yet, its id alone. */
function factsNow(id: Snowflake, article: Article | null): Shown {
  const { up = 0, down = 0, interesting = null } = article ?? {};
  const facts = { net: up - down, replies: 0, gained: null, isInteresting: interesting };
  return { id, ...facts, isNamed: true, isQuoted: true };
}

function namedIn({ embeds }: Found, guild: Snowflake, locale: string): Named {
  const named: Named = { articles: [], ...bySection((): Snowflake[] => []) };
  const [best = '', ...others] = embeds.map(({ description }) => description ?? '');
  // The way to an article's message ends what is said of it.
  const links = new RegExp(`https://discord\\.com/channels/${guild}/\\d+/(\\d+)\\)`, 'g');
  const lastIn = (text: string) => [...text.matchAll(links)].at(-1)?.[1];
  const add = (part: Section | 'articles', text: string) => {
    const id = lastIn(text);
    if (id !== undefined && !named[part].includes(id)) named[part].push(id);
  };
  add('articles', best);
  let part: Section | 'articles' = 'articles';
  // An item is a line that is followed by one of its facts, or stands alone.
  for (const item of others.join('\n').split(/\n(?!-# )/)) {
    const heading = sectionNames.find((one) => item === `**${translate(locale, SECTIONS[one])}**`);
    if (heading === undefined) add(part, item);
    else part = heading;
  }
  return named;
}
