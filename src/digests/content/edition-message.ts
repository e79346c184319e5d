import { type APIEmbed, MessageFlags, type RESTPostAPIChannelMessageJSONBody } from 'discord.js';
import { DAY_MS } from '../../runtime/clock.ts';
import {
  articleItem,
  articleItems,
  belowTitle,
  factsLine,
  LONG_LINK,
  titleLine,
  wayTo,
  type ItemContext,
} from '../../articles/lists/article-item.ts';
import { COLOUR } from '../../discord/interactions/components.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Preview } from '../../ranking/articles/previews.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Digest } from '../digest-settings.ts';
import { languageOf, translate } from '../../text/catalogue.ts';
import { isSpoiler, plainLine, plainText, shortened } from '../../text/clean.ts';
import { listedTitle } from '../../text/spoiler.ts';
import { messageLink } from '../../text/mentions.ts';
import type { TimeRange } from '../schedule/due.ts';
import { limits } from '../../discord/limits.ts';
import { SECTIONS, type Section, sectionNames } from '../../editions/stored-editions.ts';
import type { DaySum, Rising } from './candidates.ts';

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
};

export type EditionMessage = Edition & {
  /** In their order; the first is the best. */
  articles: Article[];
  /** Discord's preview of the best article's link. */
  preview: Preview;
  rising: Rising[];
  firstPosts: Article[];
  /** Posted in the window, not among `articles`, with the most messages in their discussions. */
  discussed: Article[];
  /** What the lines of all these articles say. */
  items: ItemContext;
  day: DaySum;
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

/**
 * Builds the single message of an edition. Articles that do not fit are left out at the end and are
 * not counted. Only the role that a manager chose is pinged.
 */
export function editionMessage(message: EditionMessage): Body {
  const { articles, digest } = message;
  const [best, ...others] = articles;
  const flags = digest.silent ? { flags: MessageFlags.SuppressNotifications as const } : {};
  const roles = digest.role === null ? [] : [digest.role];
  const allowed_mentions = { parse: [], roles };
  if (best === undefined) {
    return { content: opening(message, 0), embeds: [], allowed_mentions, ...flags };
  }
  const sections = sectionsOf(message);
  const footer = footerText(message);
  const day = dayLine(message);
  const first = bestEmbed(message, best);
  const texts = [first.title, first.description, footer, day, ...sections].map((text = '') => text);
  // Each part begins on a line of its own, and the line of the day after an empty one.
  const length = limits.embedsLength - texts.join('').length - texts.length - 1;
  const items = articleItems(others, message.items, { rank: 2, length });
  const embeds = [first, ...inEmbeds([...items, ...sections])];
  const last = embeds.at(-1)!;
  // Of no article or section: apart from the last one.
  const closing = `${last.description}\n\n${day}`;
  if (closing.length <= limits.embedDescriptionLength) last.description = closing;
  last.footer = { text: footer };
  return { content: opening(message, items.length), embeds, allowed_mentions, ...flags };
}

/** A digest's name for readers: that of the usual one, `daily`, is translated. */
export function titleOf(locale: string, name: string): string {
  return translate(locale, 'digest.show.title', { name });
}

export function firstLineOf({ content = '' }: Body): string {
  return content.split('\n', 1)[0]!;
}

/** A notification shows only this text, and does not resolve Discord's timestamps. */
function opening(message: EditionMessage, more: number): string {
  const { articles, digest, locale, ways } = message;
  const [best] = articles;
  const line =
    best === undefined
      ? translate(locale, 'digest.nothing', { command: ways.post })
      : translate(locale, 'digest.opening', {
          title: plainText(listedTitle(best.title, locale), OPENING_LENGTH),
          more,
        });
  const second = digest.role === null ? plainLine(line) : `<@&${digest.role}> ${line}`;
  return `## ${headlineText(message)}\n${second}`;
}

/** No other edition has it within days: a read-back recognizes the message by it. */
function headlineText({ name, locale, date }: EditionMessage): string {
  const day = new Intl.DateTimeFormat(languageOf(locale), {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    ...(date.includes('T') ? CLOCK : {}),
    timeZone: 'UTC',
  });
  return `${titleOf(locale, name)} · ${day.format(Date.parse(date))}`;
}

/** The digest's name, and its window in its own zone: a footer does not resolve timestamps. */
function footerText({ name, period, digest, locale }: EditionMessage): string {
  const isOfWeek = period.untilMs - period.fromMs < 6.5 * DAY_MS;
  const written = (parts: Intl.DateTimeFormatOptions): string => {
    const timeZone = digest.schedule.zone;
    return new Intl.DateTimeFormat(languageOf(locale), { ...parts, timeZone }).format(
      period.fromMs,
    );
  };
  const time = written(CLOCK);
  const window = isOfWeek
    ? translate(locale, 'digest.window.weekday', { day: written({ weekday: 'long' }), time })
    : translate(locale, 'digest.window.date', {
        day: written({ month: 'long', day: 'numeric' }),
        time,
      });
  return `${titleOf(locale, name)} · ${window}`;
}

function bestEmbed(message: EditionMessage, best: Article): APIEmbed {
  const { guild, locale } = message;
  const isHidden = isSpoiler(best.title);
  const preview = isHidden ? {} : message.preview;
  const description = plainText(preview.description ?? '', DESCRIPTION_LENGTH);
  // The line above names the poster.
  const facts = factsLine(best, message.items, { namesPoster: false });
  const lines = [belowTitle(best), description, finderLine(message, best), facts];
  return {
    color: COLOUR,
    title: shortened(
      plainText(listedTitle(best.title, locale), limits.embedTitleLength),
      limits.embedTitleLength,
    ),
    url:
      !isHidden && best.link.length <= limits.embedAddressLength
        ? best.link
        : messageLink(guild, best),
    description: lines.filter((line) => line !== '').join('\n'),
    // A picture from an age-restricted or private channel must not show before a member opens it.
    ...(preview.picture !== undefined && best.listed ? { image: { url: preview.picture } } : {}),
  };
}

/** What the poster said about it, or who found it. Empty for a poster who opted out and said nothing. */
function finderLine({ locale, items }: EditionMessage, article: Article): string {
  const { title, comment = '', poster } = article;
  const name = items.unnamed.has(poster) ? '' : `<@${poster}>`;
  // What is said about a spoiler can be one.
  const quote = isSpoiler(title) ? '' : plainText(comment, QUOTE_LENGTH);
  if (quote !== '') return `> ${quote}${name && ` — ${name}`}`;
  return name && translate(locale, 'digest.found', { poster: name });
}

/** What the day came to, and what a reader can do: post, and read the whole page. */
function dayLine({ locale, day, ways }: EditionMessage): string {
  const { post, list, page } = ways;
  const facts = [
    translate(locale, 'digest.day', day),
    translate(locale, 'digest.invitation', { command: post }),
    page === null
      ? translate(locale, 'digest.list', { command: list })
      : `[${translate(locale, 'digest.page')}](${page})`,
  ];
  return `-# ${facts.join(' · ')}`;
}

/**
 * Returns the sections that have articles, each with an empty line before it, a heading and a line or two
 * an article.
 */
function sectionsOf(message: EditionMessage): string[] {
  const { locale, rising, firstPosts, discussed, items } = message;
  const lineOf = (article: Article): string =>
    `${titleLine(article, message, SECTION_DRAW)} · ${wayTo(article, items)}`;
  const linesOf: Record<Section, string[]> = {
    rising: rising.map(({ article, gained }) =>
      articleItem(article, items, { ...SECTION_DRAW, gained }),
    ),
    firstPosts: firstPosts.map((one) => `<@${one.poster}>: ${lineOf(one)}`),
    discussed: discussed.map(lineOf),
  };
  return sectionNames
    .filter((section) => linesOf[section].length > 0)
    .map((section) => {
      const heading = `**${translate(locale, SECTIONS[section])}**`;
      return ['', heading, ...linesOf[section].slice(0, SECTION_LENGTH)].join('\n');
    });
}

/** Puts the items into as few embeds as the limit of a description allows. */
function inEmbeds(items: readonly string[]): APIEmbed[] {
  const descriptions: string[] = [];
  for (const item of items) {
    const last = descriptions.at(-1);
    if (last !== undefined && last.length + 1 + item.length <= limits.embedDescriptionLength) {
      descriptions[descriptions.length - 1] = `${last}\n${item}`;
    } else descriptions.push(item.trimStart());
  }
  return descriptions.map((description) => ({ color: COLOUR, description }));
}
