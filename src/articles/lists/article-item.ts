import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { numberText, translate } from '../../text/catalogue.ts';
import { messageLink, timestamp } from '../../text/mentions.ts';
import { besideHost, hostName, hostOf, linkedTitle, maskedAddress } from '../linked-title.ts';
import { articleFacts, dressed, type Listed, listedNow, NO_FACTS } from './article-facts.ts';
import { shortAgeText } from '../../text/facts.ts';
import { isSpoiler } from '../../text/clean.ts';
import { linkKind } from '../../text/link-kind.ts';
import { limits } from '../../discord/limits.ts';

/**
 * Several items with longer links might not fit into a message: these link to the message alone. Of the
 * address as it is written, in which a bracket has three signs.
 */
export const LONG_LINK = 200;

/** Each step is for items that are too long by the one before. Titles become long by escaping. */
const STEPS = [
  { titleLength: 100, linkLength: Number.POSITIVE_INFINITY },
  { titleLength: 100, linkLength: LONG_LINK },
  { titleLength: 60, linkLength: 100 },
  { titleLength: 30, linkLength: 0 },
];

export type ItemContext = {
  /** The guild whose articles are shown. */
  guild: Snowflake;
  /** The reader's language; null: English. */
  locale: string | null;
  /** Ms; an article whose voting is open then offers to vote. */
  now: number;
  /** Whether ages are said: as text at a time, as times that Discord keeps right in a lasting message, or not. */
  ages: { at: number } | 'lasting' | 'none';
  /** The numbers of messages in discussions. */
  replies: Replies;
  /** Posters who opted out: they are not named. */
  unnamed: ReadonlySet<Snowflake>;
  /** The list is of this group, which its articles do not name. */
  group?: Snowflake | null;
  /** All are from this site, which they do not name. */
  host?: string | null;
  /** Titles lead to the articles' messages alone: Discord has refused a link. */
  isPlain?: boolean;
  /** A message's content masks no link by a text with an emoji. Default: an embed. */
  shownIn?: 'embed' | 'content';
};

/** The maximum length of the title. An article with a longer link links only to its message. */
type Draw = { titleLength: number; linkLength: number };
type Facts = {
  isOpened?: boolean;
  /** Default: the poster is named, unless opted out. */
  namesPoster?: boolean;
};
/** An article as it is now, or as an edition shows it. */
type Item = Article | Listed;

function asListed(item: Item, context: ItemContext): Listed {
  return 'article' in item ? item : listedNow(item, context);
}

/**
 * Formats articles as items of an embed's description, two lines each, with ranks from `rank` on.
 * Together they have at most `length` characters: first links to messages replace long links, then
 * titles are cut too, then the last items are left out.
 */
export function articleItems(
  all: readonly Item[],
  context: ItemContext,
  { rank = 1, length = limits.embedDescriptionLength }: { rank?: number; length?: number } = {},
): string[] {
  let items: string[] = [];
  for (const draw of STEPS) {
    items = all.map((item, at) => `**${rank + at}.** ${articleItem(item, context, draw)}`);
    if (items.join('\n').length <= length) return items;
  }
  while (items.length > 0 && items.join('\n').length > length) items.pop();
  return items;
}

export function articleItem(item: Item, context: ItemContext, draw: Draw): string {
  const listed = asListed(item, context);
  const isOpened = !context.isPlain && linkWithin(listed.article, draw.linkLength) !== null;
  const namesPoster = !isNamedInTitle(listed);
  const facts = factsLine(listed, context, { isOpened, namesPoster });
  return `${titleLine(listed, context, draw)}\n${facts}`;
}

/** The address of an article's link; null for a longer one, and for a spoiler's. */
export function linkWithin({ title, link }: Article, length: number): string | null {
  const address = maskedAddress(link);
  return address.length > length || isSpoiler(title) ? null : address;
}

/**
 * Title with link, host, ★: for one line of an embed's description. Where Discord would not mask the
 * link by the title, a word does.
 */
export function titleLine(
  item: Item,
  context: ItemContext,
  { titleLength, linkLength }: Draw = STEPS[0]!,
): string {
  const listed = asListed(item, context);
  const { article } = listed;
  const { guild, locale, host, isPlain = false } = context;
  const link = isPlain ? null : linkWithin(article, linkLength);
  const word = translate(locale, link === null ? 'list.open' : 'list.visit');
  const { title, facts } = articleFacts(listed, context);
  const linked = linkedTitle(title.text, link ?? messageLink(guild, article), {
    shownIn: 'embed',
    length: titleLength,
    word,
  });
  const named = isNamedInTitle(listed)
    ? translate(locale, 'kind.by', { what: linked, poster: `<@${article.poster}>` })
    : linked;
  const beside = dressed(facts, {
    ...NO_FACTS,
    site: ({ host: site }) => (host === hostOf(article) ? '' : besideHost(site)),
    star: () => ' ★',
  });
  return `${named}${beside.join('')}`;
}

/** Of a picture or a video that has no title, the line of the title says whose it is. */
function isNamedInTitle({ article, isNamed }: Listed): boolean {
  const kind = linkKind(article);
  return (kind === 'picture' || kind === 'video') && isNamed;
}

/**
 * The line below a title that has one to itself: the host and ★. Empty where the title is the host, which the ★ then
 * stands beside.
 */
export function belowTitle(article: Article): string {
  const host = hostName(article);
  return host !== '' && article.interesting ? `${host} ★` : host;
}

/**
 * Net votes, poster, group, age, and one way to the article's message: its comments if there are any. An
 * article whose title leads to its message already (`isOpened`: false) has no second link.
 */
export function factsLine(
  item: Item,
  context: ItemContext,
  { isOpened = true, namesPoster = true }: Facts = {},
): string {
  const listed = asListed(item, context);
  const { locale, ages } = context;
  const written = dressed(articleFacts(listed, context).facts, {
    ...NO_FACTS,
    votes: ({ text }) => inSigns(text, listed.article),
    poster: namesPoster ? ({ member }) => `<@${member}>` : null,
    channels: ({ home }) => (home === context.group ? '' : `<#${home}>`),
    posted: ({ atMs }) => {
      if (ages === 'none') return '';
      return ages === 'lasting' ? timestamp(atMs, 'R') : shortAgeText(locale, atMs, ages.at);
    },
    comments: ({ count }) => (isOpened ? wayTo(listed, context) : commentsText(locale, count)),
  });
  return `-# ${written.filter((text) => text !== '').join(' · ')}`;
}

/** In the community's own emoji, where Discord shows it: a standard sign says less than the ▲ of all lists. */
export function inSigns(votes: string, { signs }: Article): string {
  const own = { '▲': signs?.up, '▼': signs?.down };
  return votes.replace(/^[▲▼]/, (sign) => {
    const emoji = own[sign as keyof typeof own] ?? '';
    return emoji.startsWith('<') ? emoji : sign;
  });
}

/** The number of messages in the discussion, which no line's end parts from its sign; empty if there are none. */
function commentsText(locale: string | null, count: number): string {
  return count === 0 ? '' : `${numberText(locale, count)}\u00a0💬`;
}

/** The one link to an article's message: the number of its comments, else what one can do there. */
export function wayTo(item: Item, context: ItemContext): string {
  const { article, replies } = asListed(item, context);
  const { guild, locale, shownIn = 'embed', now } = context;
  const { closed, locked, closesAtMs } = article;
  const comments = commentsText(locale, replies);
  const mayVote = !closed && !locked && now < closesAtMs;
  const text = translate(locale, mayVote ? 'list.vote' : 'list.read');
  const isMasked = shownIn === 'embed' && comments !== '';
  const link = `[${isMasked ? comments : text}](${messageLink(guild, article)})`;
  return isMasked || comments === '' ? link : `${comments} · ${link}`;
}
