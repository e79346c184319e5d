import { type APIEmbed, MessageFlags, type RESTPostAPIChannelMessageJSONBody } from 'discord.js';
import { articleFacts, type Listed } from '../../articles/lists/article-facts.ts';
import {
  articleItem,
  articleItems,
  belowTitle,
  factsLine,
  LONG_LINK,
  titleLine,
  wayTo,
  type ItemContext,
  inSigns,
} from '../../articles/lists/article-item.ts';
import { COLOUR } from '../../discord/interactions/components.ts';
import type { Preview } from '../../ranking/articles/previews.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Digest } from '../digest-settings.ts';
import { translate } from '../../text/catalogue.ts';
import { plainLine, plainText, shortened } from '../../text/clean.ts';
import { messageLink } from '../../text/mentions.ts';
import type { TimeRange } from '../schedule/due.ts';
import { limits } from '../../discord/limits.ts';
import { editionHeading, editionHeadline, titleOf } from '../../editions/edition-title.ts';
import {
  type DaySum,
  isByHand,
  SECTIONS,
  type Section,
  sectionNames,
} from '../../editions/stored-editions.ts';
import { dateFormat, votesText } from '../../text/facts.ts';
import { daysOf } from '../schedule/due.ts';

export type Body = Pick<
  RESTPostAPIChannelMessageJSONBody,
  'content' | 'embeds' | 'allowed_mentions' | 'flags'
>;

/** A posting of a digest. */
export type Edition = {
  guild: Snowflake;
  name: string;
  digest: Digest;
  locale: string;
  period: TimeRange;
  /** The slot's local date; for an edition outside the schedule, also the time: YYYY-MM-DDTHH:MMZ. */
  date: string;
  /** The last slot of the week whose best it shows, if no edition of the schedule came since then. */
  weekEndedMs?: number | null;
};

export type EditionMessage = Edition & {
  /** In their order; the first is the best. */
  articles: readonly Listed[];
  /** Discord's preview of the best article's link. */
  preview: Preview;
  /** The best has earned its picture in full width. */
  isLarge: boolean;
  /** The addresses of the others' pictures, of those that are nothing but a picture. */
  pictures: ReadonlyMap<Snowflake, string>;
  sections: Record<Section, readonly Listed[]>;
  /** What the lines of all these articles say. */
  items: ItemContext;
  day: DaySum | null;
  ways: Ways;
};

/** Where a reader goes from an edition. */
export type Ways = {
  /** The command that posts an article, and the one that lists all, as mentions. */
  post: string;
  list: string;
  /** The edition's page on the web; null if it has none. */
  page: string | null;
};

/** The limit in the message's own text, which a notification shows. */
const OPENING_LENGTH = 150;
/** About two lines. */
const DESCRIPTION_LENGTH = 160;
/** About three lines, of a comment that can be as long as a message. */
const QUOTE_LENGTH = 200;
/** The articles of each section. */
export const SECTION_LENGTH = 2;
const SECTION_DRAW = { titleLength: 60, linkLength: LONG_LINK };
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** Builds the single message of an edition. Only the role that a manager chose is pinged. */
export function editionMessage(message: EditionMessage): Body {
  return writeEditionMessage(message).body;
}

/** The same, with what its list has: articles that do not fit are left out at the end and are not counted. */
export function writeEditionMessage(message: EditionMessage): {
  body: Body;
  listed: readonly Listed[];
} {
  const { articles, digest } = message;
  const [best, ...others] = articles;
  const flags = digest.silent ? { flags: MessageFlags.SuppressNotifications as const } : {};
  const roles = digest.role === null ? [] : [digest.role];
  const allowed_mentions = { parse: [], roles };
  if (best === undefined) {
    const body = { content: opening(message, []), embeds: [], allowed_mentions, ...flags };
    return { body, listed: [] };
  }
  const sections = sectionsOf(message);
  const footer = footerText(message);
  const day = dayLine(message);
  const first = bestEmbed(message, best);
  const texts = [first.title, first.description, footer, day, ...sections].map((text = '') => text);
  // Each part begins on a line of its own, and the line of the day after an empty one.
  const length = limits.embedsLength - texts.join('').length - texts.length - 1;
  const items = articleItems(others, message.items, { rank: 2, length });
  const listed = [best, ...others.slice(0, items.length)];
  const drawn = items.map((item, at) => ({
    item,
    picture: message.pictures.get(others[at]!.article.id) ?? null,
  }));
  const below = sections.map((item) => ({ item, picture: null }));
  const embeds = [first, ...inEmbeds([...drawn, ...below])];
  const last = embeds.at(-1)!;
  // Of no article or section: apart from the last one.
  const closing = `${last.description}\n\n${day}`;
  if (closing.length <= limits.embedDescriptionLength) last.description = closing;
  last.footer = { text: footer };
  return {
    body: { content: opening(message, listed), embeds, allowed_mentions, ...flags },
    listed,
  };
}

export function firstLineOf({ content = '' }: Body): string {
  return content.split('\n', 1)[0]!;
}

/** A notification shows only this text, and does not resolve Discord's timestamps. */
function opening(message: EditionMessage, listed: readonly Listed[]): string {
  const { digest, locale, ways } = message;
  const headline = editionHeadline(locale, listed, (title) => plainText(title, OPENING_LENGTH));
  const line = headline ?? translate(locale, 'digest.nothing', { command: ways.post });
  const second = digest.role === null ? plainLine(line) : `<@&${digest.role}> ${line}`;
  return `${openingLine(message)}\n${second}`;
}

/** No other edition has it within days: a read-back recognizes the message by it. */
export function openingLine({
  name,
  locale,
  date,
  digest,
  period,
}: Pick<Edition, 'name' | 'locale' | 'date' | 'digest' | 'period'>): string {
  const days = daysOf(digest, period);
  const { every } = digest.schedule;
  const heading = editionHeading(locale, { name, date, edition: { days }, every });
  // Of several days, one that is posted by hand differs by its time from the one that is due.
  const hasTime = isByHand(date) && days !== null;
  return `## ${heading}${hasTime ? ` · ${date.slice(11, 16)}` : ''}`;
}

/**
 * The digest's name, and what the line of the day is about, in the digest's own zone: a footer does not resolve
 * timestamps.
 */
function footerText({ name, date, period, digest, locale }: EditionMessage): string {
  const days = daysOf(digest, period);
  const { every } = digest.schedule;
  if (days !== null) return editionHeading(locale, { name, date, edition: { days }, every });
  const written = (parts: Intl.DateTimeFormatOptions): string => {
    const format = dateFormat(locale, { ...parts, timeZone: digest.schedule.zone });
    return format.format(period.fromMs);
  };
  const since = { day: written({ weekday: 'long' }), time: written(CLOCK) };
  return `${titleOf(locale, name, every)} · ${translate(locale, 'digest.window.weekday', since)}`;
}

function bestEmbed(message: EditionMessage, shown: Listed): APIEmbed {
  const best = shown.article;
  const { text, address, isSpoiler: isHidden } = articleFacts(shown, message).title;
  const preview = isHidden ? {} : message.preview;
  const description = plainText(preview.description ?? '', DESCRIPTION_LENGTH);
  // The line above names the poster.
  const facts = factsLine(shown, message.items, { namesPoster: false });
  const name = plainText(text, limits.embedTitleLength);
  const star = best.interesting && belowTitle(best) === '' ? ' ★' : '';
  const lines = [belowTitle(best), description, finderLine(message, shown), facts];
  return {
    color: COLOUR,
    title: `${shortened(name, limits.embedTitleLength - star.length)}${star}`,
    url:
      !message.items.isPlain && address.length <= limits.embedAddressLength
        ? address
        : messageLink(message.guild, best),
    description: lines.filter((line) => line !== '').join('\n'),
    // A picture from an age-restricted or private channel must not show before a member opens it.
    ...(preview.picture !== undefined && best.listed
      ? { [message.isLarge ? 'image' : 'thumbnail']: { url: preview.picture } }
      : {}),
  };
}

/** What the poster said about it, or who found it. Empty for a poster who opted out and said nothing. */
function finderLine(message: EditionMessage, shown: Listed): string {
  const { locale, items } = message;
  const quote = plainText(articleFacts(shown, message).quote, QUOTE_LENGTH);
  const name = shown.isNamed ? `<@${shown.article.poster}>` : '';
  // What is said can hold the link that Discord refuses.
  if (quote !== '' && !items.isPlain) return `> ${quote}${name && ` — ${name}`}`;
  return name && translate(locale, 'digest.found', { poster: name });
}

/** What the day came to, and what a reader can do: post, and read the whole page. */
function dayLine({ locale, day, ways, items }: EditionMessage): string {
  const { post, list, page } = ways;
  const { group = null, host = null } = items;
  const facts = [
    ...(host === null ? [] : [translate(locale, 'digest.all.from', { host })]),
    ...(group === null ? [] : [translate(locale, 'digest.all.in', { channel: `<#${group}>` })]),
    ...(day === null ? [] : [translate(locale, 'digest.day', day)]),
    translate(locale, 'digest.invitation', { command: post }),
    page === null
      ? translate(locale, 'digest.list', { command: list })
      : `[${translate(locale, 'digest.page')}](${page})`,
  ];
  return `-# ${facts.join(' · ')}`;
}

/** Returns the sections that have articles, each with an empty line before it and a heading. */
function sectionsOf({ locale, sections, items }: EditionMessage): string[] {
  const lineOf = (shown: Listed): string => {
    const votes = inSigns(votesText(locale, shown.net), shown.article);
    return [titleLine(shown, items, SECTION_DRAW), votes, wayTo(shown, items)].join(' · ');
  };
  const drawn: Record<Section, (shown: Listed) => string> = {
    rising: (shown) => articleItem(shown, items, SECTION_DRAW),
    firstPosts: (shown) => `<@${shown.article.poster}>: ${lineOf(shown)}`,
    discussed: lineOf,
    week: lineOf,
  };
  return sectionNames
    .filter((section) => sections[section].length > 0)
    .map((section) => {
      const heading = `**${translate(locale, SECTIONS[section])}**`;
      return ['', heading, ...sections[section].map(drawn[section])].join('\n');
    });
}

/** With these, what stands between them has embeds enough. */
const PICTURES_AT_MOST = 4;

/**
 * Puts the items into as few embeds as the limit of a description allows. Each of the first that are nothing but a
 * picture has one of its own, with the picture small beside it.
 */
function inEmbeds(items: readonly { item: string; picture: string | null }[]): APIEmbed[] {
  const embeds: { description: string; thumbnail?: { url: string } }[] = [];
  let pictures = 0;
  for (const { item, picture } of items) {
    const last = embeds.at(-1);
    const isOwn = picture !== null && pictures < PICTURES_AT_MOST;
    const isFull =
      (last?.description.length ?? 0) + 1 + item.length > limits.embedDescriptionLength;
    if (isOwn) {
      pictures += 1;
      embeds.push({ description: item, thumbnail: { url: picture } });
    } else if (last === undefined || last.thumbnail !== undefined || isFull) {
      embeds.push({ description: item.trimStart() });
    } else last.description = `${last.description}\n${item}`;
  }
  return embeds.map((embed) => ({ color: COLOUR, ...embed }));
}
