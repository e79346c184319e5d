import type { APIEmbed, RESTPostAPIChannelMessageJSONBody } from 'discord.js';
import { DAY_MS } from '../../runtime/clock.ts';
import {
  articleItem,
  articleItems,
  belowTitle,
  factsLine,
  LONG_LINK,
  titleLine,
  type ItemContext,
} from '../../articles/lists/article-item.ts';
import { COLOUR } from '../../discord/interactions/components.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { Preview } from '../../ranking/articles/previews.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Digest } from '../digest-settings.ts';
import { type Key, languageOf, translate } from '../../text/catalogue.ts';
import { plainLine, plainText, shortened } from '../../text/clean.ts';
import { messageLink } from '../../text/mentions.ts';
import type { TimeRange } from '../schedule/due.ts';
import { limits } from '../../discord/limits.ts';
import type { Rising } from './candidates.ts';

export type Body = Pick<
  RESTPostAPIChannelMessageJSONBody,
  'content' | 'embeds' | 'allowed_mentions'
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
  replies: Replies;
  /** The edition's page on the web; null if it has none. */
  page?: string | null;
};

/** The limit in the message's own text, which a notification shows. */
const OPENING_LENGTH = 150;
/** About two lines. */
const DESCRIPTION_LENGTH = 160;
/** The articles of each section. */
export const SECTION_LENGTH = 2;
const SECTION_DRAW = { titleLength: 60, linkLength: LONG_LINK };
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/**
 * Builds the single message of an edition. Articles that do not fit are left out at the end and are
 * not counted. Only the role that a manager chose is pinged.
 */
export function editionMessage(message: EditionMessage): Body {
  const { articles, digest, locale, page = null } = message;
  const [best, ...others] = articles;
  const wholePage = page === null ? '' : `-# [${translate(locale, 'digest.page')}](${page})`;
  const sections = [sectionsText(message), wholePage].filter(Boolean).join('\n');
  const footer = footerText(message);
  const embeds = best === undefined ? [] : [bestEmbed(message, best)];
  const texts = embeds.flatMap(({ title = '', description = '' }) => [title, description]);
  const length = limits.embedsLength - [footer, sections, ...texts].join('').length;
  const items = articleItems(others, itemContext(message), { rank: 2, length });
  embeds.push(...inEmbeds(sections === '' ? items : [...items, sections]));
  const last = embeds.at(-1);
  if (last !== undefined) last.footer = { text: footer };
  return {
    content: opening(message, items.length),
    embeds,
    allowed_mentions: { parse: [], roles: digest.role === null ? [] : [digest.role] },
  };
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
  const { articles, digest, locale } = message;
  const [best] = articles;
  const line =
    best === undefined
      ? translate(locale, 'digest.nothing')
      : translate(locale, 'digest.opening', { title: plainText(best.title, OPENING_LENGTH), more });
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
  const format = new Intl.DateTimeFormat(languageOf(locale), {
    ...(isOfWeek ? { weekday: 'long' } : { month: 'long', day: 'numeric' }),
    ...CLOCK,
    timeZone: digest.schedule.zone,
  });
  const window = translate(locale, 'digest.window', { from: format.format(period.fromMs) });
  return `${titleOf(locale, name)} · ${window}`;
}

function bestEmbed(message: EditionMessage, best: Article): APIEmbed {
  const { guild, preview } = message;
  const description = plainText(preview.description ?? '', DESCRIPTION_LENGTH);
  const lines = [belowTitle(best), description, factsLine(best, itemContext(message))];
  return {
    color: COLOUR,
    title: shortened(plainText(best.title, limits.embedTitleLength), limits.embedTitleLength),
    url: best.link.length <= limits.embedAddressLength ? best.link : messageLink(guild, best),
    description: lines.filter((line) => line !== '').join('\n'),
    // A picture from an age-restricted or private channel must not show before a member opens it.
    ...(preview.picture !== undefined && best.listed ? { image: { url: preview.picture } } : {}),
  };
}

function itemContext({ guild, locale, replies }: EditionMessage): ItemContext {
  return { guild, locale, ages: 'none', replies };
}

/** Returns the sections, each with a heading and a line or two an article. Empty if they have no articles. */
function sectionsText(message: EditionMessage): string {
  const { guild, locale, rising, firstPosts, discussed, replies } = message;
  const open = translate(locale, 'list.open');
  const lineOf = (article: Article): string =>
    `${titleLine(article, message, SECTION_DRAW)} · [${open}](${messageLink(guild, article)})`;
  const sections: [Key, string[]][] = [
    [
      'digest.rising',
      rising.map(({ article, gained }) =>
        articleItem(article, itemContext(message), { ...SECTION_DRAW, gained }),
      ),
    ],
    ['digest.first-posts', firstPosts.map((one) => `<@${one.poster}>: ${lineOf(one)}`)],
    ['digest.discussed', discussed.map((one) => `${lineOf(one)} · ${replies.get(one.id) ?? 0} 💬`)],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .flatMap(([heading, lines]) => [
      `**${translate(locale, heading)}**`,
      ...lines.slice(0, SECTION_LENGTH),
    ])
    .join('\n');
}

/** Puts the items into as few embeds as the limit of a description allows. */
function inEmbeds(items: readonly string[]): APIEmbed[] {
  const descriptions: string[] = [];
  for (const item of items) {
    const last = descriptions.at(-1);
    if (last !== undefined && last.length + 1 + item.length <= limits.embedDescriptionLength) {
      descriptions[descriptions.length - 1] = `${last}\n${item}`;
    } else descriptions.push(item);
  }
  return descriptions.map((description) => ({ color: COLOUR, description }));
}
