import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { numberText, translate } from '../../text/catalogue.ts';
import { messageLink, timestamp } from '../../text/mentions.ts';
import { besideTitle, hostName, linkedTitle, maskedAddress } from '../linked-title.ts';
import { netVotesText, shortAgeText } from '../../text/facts.ts';
import { isSpoiler } from '../../text/clean.ts';
import { listedTitle } from '../../text/spoiler.ts';
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
  /** Whether ages are said: as text at a time, as times that Discord keeps right in a lasting message, or not. */
  ages: { at: number } | 'lasting' | 'none';
  /** The numbers of messages in discussions. */
  replies: Replies;
  /** Posters who opted out: they are not named. */
  unnamed: ReadonlySet<Snowflake>;
  /** The list is of this group, which its articles do not name. */
  group?: Snowflake | null;
  /** A message's content masks no link by a text with an emoji. Default: an embed. */
  shownIn?: 'embed' | 'content';
};

/** The maximum length of the title. An article with a longer link links only to its message. */
type Draw = { titleLength: number; linkLength: number };
/** `gained`: the net votes since some time, beside all. */
type Facts = {
  isOpened?: boolean;
  gained?: number | undefined;
  /** Default: the poster is named, unless opted out. */
  namesPoster?: boolean;
};

/**
 * Formats articles as items of an embed's description, two lines each, with ranks from `rank` on.
 * Together they have at most `length` characters: first links to messages replace long links, then
 * titles are cut too, then the last items are left out.
 */
export function articleItems(
  articles: readonly Article[],
  context: ItemContext,
  { rank = 1, length = limits.embedDescriptionLength }: { rank?: number; length?: number } = {},
): string[] {
  let items: string[] = [];
  for (const draw of STEPS) {
    items = articles.map(
      (article, at) => `**${rank + at}.** ${articleItem(article, context, draw)}`,
    );
    if (items.join('\n').length <= length) return items;
  }
  while (items.length > 0 && items.join('\n').length > length) items.pop();
  return items;
}

export function articleItem(
  article: Article,
  context: ItemContext,
  { gained, ...draw }: Draw & Pick<Facts, 'gained'>,
): string {
  const isOpened = linkWithin(article, draw.linkLength) !== null;
  const facts = factsLine(article, context, { isOpened, gained });
  return `${titleLine(article, context, draw)}\n${facts}`;
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
  article: Article,
  { guild, locale }: Pick<ItemContext, 'guild' | 'locale'>,
  { titleLength, linkLength }: Draw = STEPS[0]!,
): string {
  const link = linkWithin(article, linkLength);
  const word = translate(locale, link === null ? 'list.open' : 'list.visit');
  const shown = listedTitle(article.title, locale);
  const title = linkedTitle(shown, link ?? messageLink(guild, article), {
    shownIn: 'embed',
    length: titleLength,
    word,
  });
  const head = `${title}${besideTitle(article)}`;
  return article.interesting ? `${head} ★` : head;
}

/** The line below a title that has one to itself: the host and ★. Empty if there is neither. */
export function belowTitle(article: Article): string {
  return `${hostName(article)}${article.interesting ? ' ★' : ''}`.trim();
}

/**
 * Net votes, poster, group, age, and one way to the article's message: its comments if there are any. An
 * article whose title leads to its message already (`isOpened`: false) has no second link.
 */
export function factsLine(
  article: Article,
  context: ItemContext,
  { isOpened = true, gained, namesPoster = true }: Facts = {},
): string {
  const { locale } = context;
  const facts = [
    netVotesText(locale, article) +
      (gained === undefined ? '' : ` (+${numberText(locale, gained)})`),
    ...(namesPoster && !context.unnamed.has(article.poster) ? [`<@${article.poster}>`] : []),
    ...(article.home === context.group ? [] : [`<#${article.home}>`]),
    ...agesOf(article, context),
    ...(isOpened ? [wayTo(article, context)] : commentsOf(article, context)),
  ];
  return `-# ${facts.join(' · ')}`;
}

function agesOf({ postedAtMs }: Article, { ages, locale }: ItemContext): string[] {
  if (ages === 'none') return [];
  if (ages === 'lasting') return [timestamp(postedAtMs, 'R')];
  return [shortAgeText(locale, postedAtMs, ages.at)];
}

/** The number of messages in the discussion; empty if there are none. */
function commentsOf(
  { id }: Article,
  { replies, locale }: Pick<ItemContext, 'replies' | 'locale'>,
): string[] {
  const count = replies.get(id) ?? 0;
  return count === 0 ? [] : [`${numberText(locale, count)} 💬`];
}

/** The one link to an article's message: the number of its comments, else a word. */
export function wayTo(
  article: Article,
  context: Pick<ItemContext, 'guild' | 'locale' | 'replies' | 'shownIn'>,
): string {
  const { guild, locale, shownIn = 'embed' } = context;
  const comments = commentsOf(article, context);
  const [text = translate(locale, 'list.open')] = shownIn === 'embed' ? comments : [];
  const link = `[${text}](${messageLink(guild, article)})`;
  return shownIn === 'embed' ? link : [...comments, link].join(' · ');
}
