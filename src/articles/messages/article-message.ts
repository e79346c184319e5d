import type { APIMessage } from 'discord.js';
import { z } from 'zod';
import { languages, translate } from '../../text/catalogue.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { isAcceptedLink } from '../../ranking/links/parse.ts';
import { parseSigns, signsText, type VoteSigns } from '../../ranking/vote-signs.ts';
import { mentions, timestamp } from '../../text/mentions.ts';
import { besideTitle, isMaskable } from '../linked-title.ts';
import {
  MAX_TITLE_LENGTH,
  plainLine,
  plainText,
  shortened,
  isSpoiler,
  unescapeMarkdown,
  withoutBars,
  escapeMarkdown,
} from '../../text/clean.ts';
import { limits } from '../../discord/limits.ts';

/** Discord tells these beside the content, or they follow. A new field is carried, or a rebuild loses it. */
type NotCarried =
  | 'id'
  | 'channel'
  | 'home'
  | 'postedAtMs'
  | 'closesAtMs'
  | 'score'
  | 'listed'
  | 'up'
  | 'down';

/** The contents of an article's message in all languages: all that a rebuild of the ranking needs. */
export type Carried = Omit<Article, NotCarried> & {
  /** The final result; read from the message of an open article, 0. */
  up: number;
  down: number;
  /** No preview: a member's own message shows it, or its poster wrote the link between angles. */
  beside: boolean;
};
type Shown = Carried & Pick<Article, 'closesAtMs'>;

/** A comment that is cut shorter is left out. */
const LEAST_COMMENT_LENGTH = 20;

const INTERESTING_SIGN = '★';
/** Only for readers: a rebuild opens the voting again. */
const LOCKED_SIGN = '🔒';
const BEFORE_SIGNS = ' · ';

/**
 * The content of an article's message, under which Discord shows its own preview of the link.
 * The first line has the title and the link, the last line the mentions and the result. Only the words
 * of the last line are in a language, the guild's; `readArticleMessage` needs none of them.
 */
export function articleMessage(article: Shown, locale: string | null): string {
  const head = titleLines(article);
  const facts = lastLine(article, locale);
  const room = limits.contentLength - head.length - facts.length - 2;
  const comment = quote(article.comment ?? '', room);
  return [head, ...(comment === '' ? [] : [comment]), facts].join('\n');
}

/**
 * The title with its link, and the host if the title does not show it. Two lines if Discord would not
 * mask the link.
 */
export function titleLines({
  title,
  link,
  interesting,
  beside,
}: Pick<Carried, 'title' | 'link' | 'interesting' | 'beside'>): string {
  const star = interesting ? `${INTERESTING_SIGN} ` : '';
  const shown = withoutBars(title);
  const bars = isSpoiler(title) ? '||' : '';
  const host = besideTitle({ title, link });
  const whole = bars === '' ? link : withoutOwnBars(link);
  const address = beside || !isShownWhole(link) ? `<${whole}>` : whole;
  // These characters would end the masked link.
  return isMaskable(shown, 'content') && !/[()\\]|\*\*/.test(link)
    ? `${star}${bars}**[${shown}](${beside ? `<${whole}>` : whole})**${bars}${host}`
    : `${star}${bars}**${plainLine(plainText(shown, MAX_TITLE_LENGTH))}**${bars}${host}\n${bars}${address}${bars}`;
}

/** Two bars in a spoiler's link would end the spoiler. The address keeps its meaning. */
function withoutOwnBars(link: string): string {
  return link.replaceAll('|', '%7C');
}

/** False if Discord drops the bare link's last character: punctuation, or a bracket not opened in it. */
function isShownWhole(link: string): boolean {
  if (link.endsWith(')')) return link.split(')').length <= link.split('(').length;
  return !/[.,:;"'\]]$/.test(link);
}

function lastLine(article: Shown, locale: string | null): string {
  const { signs } = article;
  // At the end, where earlier versions read nothing.
  return factsOf(article, locale) + (signs ? `${BEFORE_SIGNS}${signsText(signs)}` : '');
}

function factsOf(article: Shown, locale: string | null): string {
  const { poster, groups, locked, closed, up, down, closesAtMs } = article;
  const names = { poster: `<@${poster}>`, groups: mentions('#', groups) };
  const by = translate(locale, 'article.by', names);
  // The tally in signs that need no translation.
  const tally = down > 0 ? `▲ ${up} ▼ ${down}` : `▲ ${up}`;
  if (closed) return `-# ${tally} · ${translate(locale, 'article.closed')} · ${by}`;
  // Nobody can vote until a moderator opens it again, so an end of voting would mislead.
  if (locked) return `-# ${LOCKED_SIGN} ${by} · ${translate(locale, 'article.locked')}`;
  return `-# ${by} · ${translate(locale, 'article.closes', { closes: timestamp(closesAtMs, 'R') })}`;
}

/** Quotes as much of the comment as fits. Empty if less than `LEAST_COMMENT_LENGTH` fits. */
function quote(comment: string, room: number): string {
  const over = quoted(comment).length - room;
  // Each removed character shortens the shown text by at least one.
  const length = over > 0 ? comment.length - over : comment.length;
  if (length === 0 || (over > 0 && length < LEAST_COMMENT_LENGTH)) return '';
  return quoted(shortened(comment, length));
}

function quoted(comment: string): string {
  return escapeMarkdown(comment)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

const zContent = z.object({ content: z.string() });
/** Messages of earlier versions have backslashes within the brackets. */
const masked = /^(★ )?\*\*\[(.+)\]\((<)?(https?:\/\/[^\s<>()]+)>?\)\*\*(?: · \S+)?$/u;
const bare = /^(★ )?\*\*(.+)\*\*(?: · \S+)?\n(<)?(https?:\/\/[^\s<>]+)>?$/u;
/** The text before and between the mentions can be in any language. */
const facts = /^-# (🔒 )?(?:▲ (\d{1,9})(?: ▼ (\d{1,9}))? · )?[^<>]*<@(\d+)>[^<>]*((?:<#\d+> ?)+)/u;

/**
 * The inverse of `articleMessage`: reads a message of the bot from the API. Null for any other message.
 * A cut comment stays cut.
 */
export function readArticleMessage(message: unknown): Carried | null {
  const shape = zContent.safeParse(message);
  const lines = shape.success ? shape.data.content.split('\n') : [];
  const head = readHead(lines);
  const lastLine = lines.at(-1) ?? '';
  const last = facts.exec(lastLine);
  if (!head || !last || !isAcceptedLink(head.link)) return null;
  const [, locked, up, down, poster = '', named = ''] = last;
  const quotes = lines.slice(head.lines, -1);
  if (quotes.some((line) => !line.startsWith('> '))) return null;
  const comment = unescapeMarkdown(quotes.map((line) => line.slice(2)).join('\n'));
  return {
    title: head.title,
    link: head.link,
    ...(comment === '' ? {} : { comment }),
    poster,
    groups: [...named.matchAll(/\d+/g)].map(([id]) => id),
    interesting: head.star,
    locked: locked !== undefined,
    closed: up !== undefined,
    up: Number(up ?? 0),
    down: Number(down ?? 0),
    beside: head.beside,
    ...readSigns(lastLine),
  };
}

/** The signs at the end of the last line; none: they are the thumbs. */
function readSigns(line: string): { signs?: VoteSigns } {
  const at = line.lastIndexOf(BEFORE_SIGNS);
  const signs = at < 0 ? null : parseSigns(line.slice(at + BEFORE_SIGNS.length));
  return signs ? { signs } : {};
}

/** A spoiler's first line. Any other begins with a title in bold. */
const barred = /^(★ )?\|\|(\*\*.+\*\*)\|\|( · \S+)?$/u;

function readHead([first = '', second = '']: readonly string[]) {
  const hidden = barred.exec(first);
  if (hidden !== null) {
    const [, star = '', inner = '', host = ''] = hidden;
    const head = readShownHead(star + inner + host, second.replace(/^\|\|(.*)\|\|$/, '$1'));
    return head && { ...head, title: `||${head.title}||` };
  }
  return readShownHead(first, second);
}

function readShownHead(first: string, second: string) {
  const one = masked.exec(first);
  const found = one ?? bare.exec(`${first}\n${second}`);
  if (!found) return null;
  const [, star, title = '', beside, link = ''] = found;
  const lines = one ? 1 : 2;
  const text = unescapeMarkdown(title);
  return { star: star !== undefined, title: text, link, beside: beside !== undefined, lines };
}

const MAX_REASON_LENGTH = 500;

/**
 * The tombstone of a removed article: one line without its link and title, so that no rebuild reads it
 * as an article.
 */
export function removedMessage(
  { own, reason = '' }: { own: boolean; reason?: string | undefined },
  locale: string | null,
) {
  const by = translate(locale, own ? 'removed-message.own' : 'removed-message.moderator');
  const shown = plainText(reason, MAX_REASON_LENGTH);
  const why = shown && ` ${translate(locale, 'audit.reason', { reason: shown })}`;
  return { content: `-# ${by}${why}`, embeds: [], allowed_mentions: { parse: [] } };
}

/** Whether a tombstone says, in any language, that the poster removed the article. */
export function isOwnRemoval({ content }: Pick<APIMessage, 'content'>): boolean {
  return [...languages.keys()].some((language) =>
    content.startsWith(`-# ${translate(language, 'removed-message.own')}`),
  );
}

export function isRemovedMessage({ content }: Pick<APIMessage, 'content'>): boolean {
  return /^-# [^\n]+$/.test(content);
}
