import { isBelowPublicSuffix } from '../ranking/links/parse.ts';
import { cleanTitle, plainText, shortened } from '../text/clean.ts';
import { hostBeside, shortHost } from '../text/facts.ts';

/** A message's content masks no link by a text with an emoji; an embed's description does. */
type ShownIn = 'content' | 'embed';

/**
 * A title of one line with its link. Inside the brackets the title stands as it is, since Discord shows
 * a backslash there. A title that would be shown in another way there stands before the link, escaped,
 * and `word` is the link's text. Without an address it is the title alone.
 */
export function linkedTitle(
  title: string,
  address: string | null,
  { shownIn, length, word }: { shownIn: ShownIn; length: number; word: string },
): string {
  if (address === null) return plainText(title, length);
  return isMaskable(title, shownIn)
    ? `[${shortened(cleanTitle(title), length)}](${address})`
    : `${plainText(title, length)} · [${word}](${address})`;
}

/**
 * Whether Discord masks a link by the title, and shows the title letter for letter. Formatting, emoji
 * and times would be drawn; mentions and what looks like an address leave the link raw.
 */
export function isMaskable(title: string, shownIn: ShownIn): boolean {
  if (shownIn === 'content' && emoji.test(title)) return false;
  return !acting.some((pattern) => pattern.test(title)) && !isMarked(title) && !isAddress(title);
}

/** Without the three that Discord leaves as letters. */
const emoji = /(?![\d#*©®™])\p{Emoji}|\u20e3/u;

const acting = [
  // The parser counts brackets, and a backslash may take the meaning of a sign after the title.
  /[[\]\\]/,
  // Signs that stand in pairs, and at an end beside the link's own brackets.
  /^\*|\*$|__|~~|\|\|/,
  /<(?:[@#]|a?:|t:|id:|\/[^<>:]*:\d|[^<>: ]+:\/)/,
  /@(?:everyone|here)/,
  // The name of an emoji, such as 🐝 by :bee: and © by :c:. A time of the day is none.
  /:(?!(?!100:|1234:)\d+:)[\w+-]+:/,
  // A list, a quote or a heading; some clients look for these here as well.
  /^(?:#{1,3}|-#|>{1,3}|[-*+]|\d+\.) /,
  // Discord leaves out what joins the letters of some scripts, and the parts of some emoji.
  /\p{Cf}/u,
];

/** Whether two signs make a part of the text bold, italic or code. */
function isMarked(title: string): boolean {
  const hasTwo = (sign: string) => title.indexOf(sign) !== title.lastIndexOf(sign);
  // The second underscore ends a mark only if no letter follows: snake_case_name has none.
  const afterFirst = title.slice(title.indexOf('_') + 1);
  return hasTwo('*') || hasTwo('`') || (hasTwo('_') && /_(?![A-Za-z0-9_])/.test(afterFirst));
}

/** Also with signs that look like those of an address. */
function isAddress(title: string): boolean {
  if (/[:：∶ː˸։꞉︰;；]\s?[/／⁄∕╱⟋⧸ノ丿]{2}|\bwww\./iu.test(title)) return true;
  const names = title
    .split(/[^\p{L}\p{N}.-]+/u)
    .flatMap((word) => word.split(/\.\.+/))
    .map((word) => word.replace(/^\.|\.$/g, ''));
  return names.some((name) => name.includes('.') && isBelowPublicSuffix(name));
}

/** The host, escaped; empty if the title shows it already. */
export function hostName(article: { title: string; link: string }): string {
  return (hostBeside(article) ?? '').replace(/[_*~[\]]/g, '\\$&');
}

/** The host of a link, as it stands beside titles, also where the title shows it. */
export function hostOf({ link }: { link: string }): string {
  return shortHost(link).replace(/[_*~[\]]/g, '\\$&');
}

export function besideTitle(article: { title: string; link: string }): string {
  return besideHost(hostBeside(article));
}

/** What follows a title: its host, escaped; empty for none. */
export function besideHost(host: string | null): string {
  return host === null ? '' : ` · ${host.replace(/[_*~[\]]/g, '\\$&')}`;
}

/** Encodes brackets, which would end the masked link. The address keeps its meaning. */
export function maskedAddress(link: string): string {
  return link.replace(/[()\\|]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
