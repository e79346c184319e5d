import {
  type APIEmbed,
  type APIEmbedField,
  MessageFlags,
  type RESTPostAPIChannelMessageJSONBody,
} from 'discord.js';
import { messageLink } from '../../articles/lists/item.ts';
import { footer } from '../../articles/message.ts';
import { plainText, shortened } from '../../text/clean.ts';
import type { Digest } from '../../records/digests/digest.ts';
import { translate } from '../../text/catalogue.ts';
import type { Period } from './candidates.ts';
import type { Chosen } from './select.ts';
import { COLOUR } from '../../discord/colours.ts';

export type Body = Pick<
  RESTPostAPIChannelMessageJSONBody,
  'content' | 'embeds' | 'allowed_mentions' | 'flags'
>;

export type EditionMessage = {
  guild: string;
  name: string;
  digest: Digest;
  locale: string;
  period: Period;
  /** The slot's local date; for a posting out of turn, today's. */
  date: string;
  chosen: Chosen[];
  /** Names that the guild gave to groups; the others go by their channels', which links show. */
  groupNames: Readonly<Record<string, string>>;
  /** The tag of a page; see `footerTag`. */
  tag(page: number, pages: number): string;
};

/** Discord's limits for one message's embed. */
const MOST_FIELDS = 25;
const MOST_CHARACTERS = 6000;
/** Kept free for the period and the footer. */
const RESERVED_CHARACTERS = 400;
const TITLE_LENGTH = 120;
/** Titles in the text itself, which is what a phone's notification shows. */
const TEASERS = 3;
const TEASER_LENGTH = 80;

/**
 * The messages of an edition: one, and more only where Discord's limits demand it.
 * Members' titles stand in the names of fields, which parse no links and no mentions, and escaped
 * in the text. Nobody is pinged but the role that a manager chose, by the first message.
 */
export function editionMessages(message: EditionMessage): Body[] {
  const { chosen, digest } = message;
  const pages = inPages(chosen.map((each, at) => field(message, each, at + 1)));
  const silent = digest.silent ? { flags: MessageFlags.SuppressNotifications as const } : {};
  return pages.map((fields, at) => ({
    content: at === 0 ? opening(message) : continuation(message, at + 1, pages.length),
    embeds: [embed(message, fields, at, pages.length)],
    allowed_mentions: { parse: [], roles: at === 0 && digest.role !== null ? [digest.role] : [] },
    ...silent,
  }));
}

/** What a thread for discussion is called. */
export function threadName(message: EditionMessage): string {
  return shortened(headline(message), 100);
}

/** What a digest says when it is posted long after it was due. */
export function lateLine(locale: string, dueAtMs: number): string {
  return translate(locale, 'digest.late', { due: timestamp(dueAtMs, 'f') });
}

function opening(message: EditionMessage): string {
  const { chosen, digest, locale } = message;
  const role = digest.role === null ? '' : `<@&${digest.role}> `;
  const lines = [`${role}**${headline(message)}**`];
  if (chosen.length === 0) lines.push(translate(locale, 'digest.nothing'));
  for (const [at, { article }] of chosen.slice(0, TEASERS).entries()) {
    lines.push(`${at + 1}. ${plainText(article.title, TEASER_LENGTH)}`);
  }
  const more = chosen.length - TEASERS;
  if (more > 0) lines.push(translate(locale, 'digest.more', { more }));
  return lines.join('\n');
}

function continuation(message: EditionMessage, page: number, pages: number): string {
  const values = { headline: headline(message), page, pages };
  return translate(message.locale, 'digest.continued', values);
}

/** With the date written out: a notification does not resolve Discord's timestamps. */
function headline({ name, locale, date }: EditionMessage): string {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' });
  return translate(locale, 'digest.headline', { name, date: day.format(Date.parse(date)) });
}

function embed(
  message: EditionMessage,
  fields: APIEmbedField[],
  at: number,
  pages: number,
): APIEmbed {
  const { period, locale } = message;
  const values = { from: timestamp(period.fromMs, 'f'), until: timestamp(period.untilMs, 'f') };
  return {
    color: COLOUR,
    ...(at === 0 ? { description: translate(locale, 'digest.period', values) } : {}),
    fields,
    footer: { text: message.tag(at + 1, pages) },
  };
}

function field(
  { guild, groupNames }: EditionMessage,
  { article, movedBy }: Chosen,
  rank: number,
): APIEmbedField {
  const moved = movedBy === null ? [] : [`↑ ${movedBy}`];
  const facts = [
    footer(article),
    ...moved,
    ...groupFact(groupNames, article),
    `<@${article.poster}>`,
    timestamp(article.postedAtMs, 'R'),
    `\`${new URL(article.link).host}\``,
  ];
  return {
    name: shortened(`${rank}. ${article.title}`, TITLE_LENGTH),
    value: `${facts.join(' · ')}\n${messageLink(guild, article)}`,
  };
}

/** What the guild calls an article's home group, where it has a name for it. */
export function groupFact(
  names: EditionMessage['groupNames'],
  { home }: { home: string },
): string[] {
  const name = plainText(names[home] ?? '', TEASER_LENGTH);
  return name === '' ? [] : [`#${name}`];
}

function inPages(fields: APIEmbedField[]): APIEmbedField[][] {
  const pages: APIEmbedField[][] = [[]];
  let room = MOST_CHARACTERS - RESERVED_CHARACTERS;
  for (const each of fields) {
    const size = each.name.length + each.value.length;
    const page = pages.at(-1);
    if (page !== undefined && page.length < MOST_FIELDS && size <= room) {
      page.push(each);
      room -= size;
    } else {
      pages.push([each]);
      room = MOST_CHARACTERS - RESERVED_CHARACTERS - size;
    }
  }
  return pages;
}

function timestamp(atMs: number, style: 'f' | 'R'): string {
  return `<t:${Math.floor(atMs / 1000)}:${style}>`;
}
