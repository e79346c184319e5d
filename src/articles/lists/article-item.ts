import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { numberText, translate } from '../../text/catalogue.ts';
import { messageLink, timestamp } from '../../text/mentions.ts';
import { besideTitle, hostName, isMaskable, linkedTitle, maskedAddress } from '../linked-title.ts';
import { bareAgeText, netVotesText, shortAgeText } from '../../text/facts.ts';
import { columnsOf } from '../../text/columns.ts';
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

/**
 * A phone's line of an embed has about 40 columns, of small print 42. An item is written to fit into two
 * lines there: `test/articles/lists/two-lines.test.ts` measures it.
 */
const LINE_COLUMNS = 39;
const SMALL_COLUMNS = 41;
/** A mention of a long name such as `@Ousmane Diallo`: Discord alone knows the name. */
const MEMBER_COLUMNS = 17;
/** A mention of a channel whose name is not known here. */
const CHANNEL_COLUMNS = 11;
/** An age that Discord writes: "16 hours ago". */
const LASTING_COLUMNS = 12;
/** Between two facts: three characters, which are narrow. */
const BETWEEN_COLUMNS = 2;

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
  /** A channel's name, if it is known. */
  channelName?: (channel: Snowflake) => string | undefined;
  /** The list is of this group, which its articles do not name. */
  group?: Snowflake | null;
  /** A message's content masks no link by a text with an emoji. Default: an embed. */
  shownIn?: 'embed' | 'content';
};

/** The maximum length of the title. An article with a longer link links only to its message. */
type Draw = { titleLength: number; linkLength: number };
/** `gained`: the net votes since some time, beside all. */
type Facts = {
  isOpened?: boolean | undefined;
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
    items = articles.map((article, at) => {
      const number = `${rank + at}.`;
      const before = columnsOf(`${number} `);
      return `**${number}** ${articleItem(article, context, { ...draw, before })}`;
    });
    if (items.join('\n').length <= length) return items;
  }
  while (items.length > 0 && items.join('\n').length > length) items.pop();
  return items;
}

/**
 * An article in two lines of a phone. Beside the title stands its host where it has room, else its comments;
 * a title that is longer than the line is cut at a word. Below stand the other facts. The group and the age
 * stand below, or beside the title, or nowhere: where they have room. `before`: the columns before the title.
 */
export function articleItem(
  article: Article,
  context: ItemContext,
  { gained, before = 0, ...draw }: Draw & Pick<Facts, 'gained'> & { before?: number },
): string {
  const isOpened = linkWithin(article, draw.linkLength) !== null;
  const star = article.interesting ? ' ★' : '';
  const room = LINE_COLUMNS - before - columnsOf(star);
  const titleOf = (columns: number) => linkOfTitle(article, context, { ...draw, columns });
  const isWhole = (columns: number) => titleOf(columns) === titleOf(Infinity);
  /** Both lines, when so many columns beside the title are taken by `beside`. */
  const written = (beside: string, taken: number, below: Below): string => {
    const { text, left } = below;
    const title = titleOf(room - taken);
    let free = room - taken - shownColumns(article, context, draw);
    const more = left.filter(([, columns]) => {
      const fits = columns + BETWEEN_COLUMNS <= free;
      if (fits) free -= columns + BETWEEN_COLUMNS;
      return fits;
    });
    const facts = more.map(([fact]) => ` · ${fact}`).join('');
    return `${title}${beside}${star}${facts}\n-# ${text}`;
  };

  const way = factOf(wayTo(article, context, { isOpened, gained }));
  const host = hostName(article);
  const besideHost = host === '' ? '' : ` · ${host}`;
  if (isWhole(room - columnsOf(besideHost))) {
    return written(besideHost, columnsOf(besideHost), factsBelow(article, context, way, null));
  }
  const comments = commentsOf(article, context, isOpened);
  const besideComments = columnsOf(` · ${comments?.shown ?? ''}`);
  // A title is not cut for its comments where these have room below.
  const areBelow =
    isWhole(room) &&
    !isWhole(room - besideComments) &&
    way[1] + columnsOf(host) + MEMBER_COLUMNS + 2 * BETWEEN_COLUMNS <= SMALL_COLUMNS;
  const isMasked = isMaskable(listedTitle(article.title, context.locale), 'embed');
  if (comments === null || areBelow || !isMasked) {
    return written('', 0, factsBelow(article, context, way, host));
  }
  // The comments lead to the message, so the votes do not.
  const votes = factOf(votesOf(article, context, { isOpened: false, gained }));
  const below = factsBelow(article, context, votes, host);
  return written(` · ${comments.text}`, besideComments, below);
}

/** A fact, and the columns that Discord shows of it. */
type Fact = readonly [text: string, columns: number];

const factOf = ({ text, shown }: Written): Fact => [text, columnsOf(shown)];

/** The columns of a title with its link. */
function shownColumns(article: Article, { locale }: ItemContext, { linkLength }: Draw): number {
  const title = listedTitle(article.title, locale);
  if (isMaskable(title, 'embed')) return columnsOf(title);
  const word = linkWithin(article, linkLength) === null ? 'list.open' : 'list.visit';
  return columnsOf(`${title} · ${translate(locale, word)}`);
}

/** The line of small print, and the facts that have no room in it. */
type Below = { text: string; left: Fact[] };

/** `host`: null if it stands above. */
function factsBelow(
  article: Article,
  context: ItemContext,
  first: Fact,
  host: string | null,
): Below {
  const { ages, group, unnamed, channelName } = context;
  const facts = [first];
  const poster: Fact[] = unnamed.has(article.poster)
    ? []
    : [[`<@${article.poster}>`, MEMBER_COLUMNS]];
  const age = agesOf(article, context, bareAgeText).map((text): Fact => {
    return [text, ages === 'lasting' ? LASTING_COLUMNS : columnsOf(text)];
  });
  const roomBeside = (...others: (readonly Fact[])[]) =>
    [...facts, ...others.flat()].reduce(
      (room, [, columns]) => room - columns - BETWEEN_COLUMNS,
      SMALL_COLUMNS,
    );
  if (host !== null && host !== '') {
    const shown = hostName(article, roomBeside(poster));
    facts.push([shown, columnsOf(shown)]);
  }
  facts.push(...poster);
  const name = channelName?.(article.home);
  const columns = name === undefined ? CHANNEL_COLUMNS : columnsOf(`# ${name}`);
  const channel: Fact[] = article.home === group ? [] : [[`<#${article.home}>`, columns]];
  const left: Fact[] = [];
  // The age has the first choice, and the last place.
  const hasAge = age.every(([, columns]) => columns <= roomBeside());
  if (!hasAge) left.push(...age);
  for (const fact of channel) {
    if (fact[1] <= roomBeside(hasAge ? age : [])) facts.push(fact);
    else left.push(fact);
  }
  if (hasAge) facts.push(...age);
  return { text: facts.map(([text]) => text).join(' · '), left };
}

/** The address of an article's link; null for a longer one, and for a spoiler's. */
export function linkWithin({ title, link }: Article, length: number): string | null {
  const address = maskedAddress(link);
  return address.length > length || isSpoiler(title) ? null : address;
}

/** What a title's link needs of its list. */
type TitleContext = Pick<ItemContext, 'guild' | 'locale'>;

/** Title with link, host, ★: for one line of an embed's description. */
export function titleLine(
  article: Article,
  context: TitleContext,
  draw: Draw & { columns?: number } = STEPS[0]!,
): string {
  const head = `${linkOfTitle(article, context, draw)}${besideTitle(article)}`;
  return article.interesting ? `${head} ★` : head;
}

/** A title with its link. Where Discord would not mask the link by the title, a word does. */
function linkOfTitle(
  article: Article,
  { guild, locale }: TitleContext,
  { titleLength, linkLength, columns = Infinity }: Draw & { columns?: number },
): string {
  const link = linkWithin(article, linkLength);
  const word = translate(locale, link === null ? 'list.open' : 'list.visit');
  const shown = listedTitle(article.title, locale);
  return linkedTitle(shown, link ?? messageLink(guild, article), {
    shownIn: 'embed',
    length: titleLength,
    columns,
    word,
  });
}

/** The line below a title that has one to itself: the host and ★. Empty if there is neither. */
export function belowTitle(article: Article): string {
  return `${hostName(article)}${article.interesting ? ' ★' : ''}`.trim();
}

/**
 * All that is said of an article that stands alone: net votes and comments, which lead to its message,
 * poster, group, and age. Where the title leads to the message already (`isOpened`: false), nothing else does.
 */
export function factsLine(
  article: Article,
  context: ItemContext,
  { isOpened = true, gained, namesPoster = true }: Facts = {},
): string {
  const facts = [
    wayTo(article, context, { isOpened, gained }).text,
    ...(namesPoster && !context.unnamed.has(article.poster) ? [`<@${article.poster}>`] : []),
    ...(article.home === context.group ? [] : [`<#${article.home}>`]),
    ...agesOf(article, context, shortAgeText),
  ];
  return `-# ${facts.join(' · ')}`;
}

function agesOf(
  { postedAtMs }: Article,
  { ages, locale }: ItemContext,
  textOf: typeof shortAgeText,
): string[] {
  if (ages === 'none') return [];
  if (ages === 'lasting') return [timestamp(postedAtMs, 'R')];
  return [textOf(locale, postedAtMs, ages.at)];
}

/** What is shown, as it is written and without its address. */
type Written = { text: string; shown: string };

/**
 * The one way to an article's message, where one votes and talks: a link that tells the net votes, and the
 * number of comments if there are any.
 */
export function wayTo(
  article: Article,
  context: WayContext,
  { isOpened = true, gained }: Pick<Facts, 'isOpened' | 'gained'> = {},
): Written {
  const votes = votesOf(article, context, { isOpened, gained });
  const comments = commentsOf(article, context, false);
  if (comments === null) return votes;
  const shown = `${votes.shown} · ${comments.shown}`;
  // In a message's content the emoji would leave the link raw.
  if (context.shownIn === 'content') return { text: `${votes.text} · ${comments.text}`, shown };
  return { text: isOpened ? linkTo(article, context, shown) : shown, shown };
}

type WayContext = Pick<ItemContext, 'guild' | 'locale' | 'replies' | 'shownIn'>;

/** The net votes, which lead to the message if it `isOpened` by them. */
function votesOf(
  article: Article,
  context: WayContext,
  { isOpened, gained }: Pick<Facts, 'isOpened' | 'gained'>,
): Written {
  const { locale } = context;
  const more = gained === undefined ? '' : ` (+${numberText(locale, gained)})`;
  const shown = `${netVotesText(locale, article)}${more}`;
  return { text: isOpened === true ? linkTo(article, context, shown) : shown, shown };
}

/** The number of messages in the discussion; null if there are none. */
function commentsOf(article: Article, context: WayContext, isOpened: boolean): Written | null {
  const count = context.replies.get(article.id) ?? 0;
  if (count === 0) return null;
  const shown = `${numberText(context.locale, count)} 💬`;
  return { text: isOpened ? linkTo(article, context, shown) : shown, shown };
}

function linkTo(article: Article, { guild }: WayContext, text: string): string {
  return `[${text}](${messageLink(guild, article)})`;
}
