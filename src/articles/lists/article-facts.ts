import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isSpoiler } from '../../text/clean.ts';
import { votesText } from '../../text/facts.ts';
import { type TitleLink, titleLink } from '../../text/title-link.ts';

/** An article of a list, with what the list says of it: as it is now, or as an edition showed it. */
export type Listed = {
  article: Article;
  /** Up minus down. */
  net: number;
  /** Those of them that came since an edition showed it before; null: the list does not say it. */
  gained: number | null;
  /** Messages in its discussion. */
  replies: number;
  isInteresting: boolean;
  /** Its poster may be named. */
  isNamed: boolean;
  /** What its poster said about it may be quoted. */
  isQuoted: boolean;
};

/** As it is now. `unnamed`: posters whom nobody names. */
export function listedNow(
  article: Article,
  { replies, unnamed }: { replies: Replies; unnamed?: ReadonlySet<Snowflake> },
): Listed {
  return {
    article,
    net: article.up - article.down,
    gained: null,
    replies: replies.get(article.id) ?? 0,
    isInteresting: article.interesting,
    isNamed: unnamed?.has(article.poster) !== true,
    isQuoted: quoteOf(article) !== '',
  };
}

/** What a list says of an article besides its title, in the order of `articleFacts`. */
export type Fact =
  | { kind: 'votes'; text: string }
  | { kind: 'site'; host: string }
  | { kind: 'star' }
  | { kind: 'poster'; member: Snowflake }
  | { kind: 'channels'; home: Snowflake; groups: readonly Snowflake[] }
  | { kind: 'posted'; atMs: number }
  | { kind: 'comments'; count: number };

export type ArticleFacts = {
  title: TitleLink;
  /** What the poster said about it, as it was typed; empty for nothing that may be quoted. */
  quote: string;
  facts: readonly Fact[];
};

/**
 * What is said of an article, in Discord, on the web, in feeds and in a newsletter: each dresses these, leaves out
 * what it has no room for, and says nothing else.
 */
export function articleFacts(
  { article, net, gained, replies, isInteresting, isNamed, isQuoted }: Listed,
  of: { guild: Snowflake; locale: string | null },
): ArticleFacts {
  const title = titleLink(article, of);
  const facts: Fact[] = [{ kind: 'votes', text: votesText(of.locale, net, gained) }];
  if (title.host !== null) facts.push({ kind: 'site', host: title.host });
  if (isInteresting) facts.push({ kind: 'star' });
  if (isNamed) facts.push({ kind: 'poster', member: article.poster });
  facts.push(
    { kind: 'channels', home: article.home, groups: article.groups },
    { kind: 'posted', atMs: article.postedAtMs },
    { kind: 'comments', count: replies },
  );
  return { title, quote: isQuoted ? quoteOf(article) : '', facts };
}

/** What is said about a spoiler can be one. */
function quoteOf({ title, comment = '' }: Article): string {
  return isSpoiler(title) ? '' : comment;
}

/** How a surface writes each kind of fact; null: it leaves it out. */
export type Dress<T> = {
  [K in Fact['kind']]: ((fact: Extract<Fact, { kind: K }>) => T) | null;
};

/** For a surface, or a line of one, that has a few. */
export const NO_FACTS = {
  votes: null,
  site: null,
  star: null,
  poster: null,
  channels: null,
  posted: null,
  comments: null,
} satisfies Dress<never>;

/** The facts as a surface writes them, in their order. */
export function dressed<T>(facts: readonly Fact[], dress: Dress<T>): T[] {
  return facts.flatMap((fact) => {
    // The record has the function of each kind under its name.
    const write = dress[fact.kind] as ((one: Fact) => T) | null;
    return write === null ? [] : [write(fact)];
  });
}
