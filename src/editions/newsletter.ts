import { translate } from '../text/catalogue.ts';
import { escapeMarkdown, plainLine, shortened } from '../text/clean.ts';
import { hostBeside, netVotesText } from '../text/facts.ts';

/** An item of a newsletter. */
export type NewsItem = {
  title: string;
  link: string;
  /** Net votes. */
  net: number;
  /** What Discord found about the link; empty for nothing. */
  description: string;
};

export type Newsletter = {
  locale: string;
  community: string;
  title: string;
  /** What a moderator writes above the list, in paragraphs; empty for nothing. */
  intro: string;
  /** In their order. */
  items: readonly NewsItem[];
  /** The edition's page on the web; null if it has none. */
  page: string | null;
};

/** The same newsletter for mail programs, for what takes Markdown, and for everything else. */
export function writeNewsletter(letter: Newsletter): {
  html: string;
  markdown: string;
  text: string;
} {
  const html = asHtml(letter);
  const bare = letter.items.map((item) => ({ ...item, description: '' }));
  return {
    html: Buffer.byteLength(html) < HTML_BYTES ? html : asHtml({ ...letter, items: bare }),
    markdown: asMarkdown(letter),
    text: asText(letter),
  };
}

/** Some mail programs cut off what is longer. */
const HTML_BYTES = 100_000;

/**
 * The articles in the order of the lines that a moderator left, each of which begins with an article's
 * number in its edition. All in their own order if there is no such line. A number whose article has left
 * the edition since stands for no other one.
 */
export function inOrderOf<T extends { number: number }>(items: readonly T[], lines: string): T[] {
  const numbers = lines.split('\n').flatMap((line) => /^\s*(\d{1,2})\b/.exec(line)?.[1] ?? []);
  if (numbers.length === 0) return [...items];
  const chosen = new Set(numbers.map(Number));
  return [...chosen].flatMap((number) => items.find((item) => item.number === number) ?? []);
}

/** The lines that `inOrderOf` reads, at most `length` characters together. */
export function orderLines(
  items: readonly { number: number; title: string }[],
  length: number,
): string {
  const each = Math.floor(length / Math.max(1, items.length)) - 6;
  return items
    .map(({ number, title }) => `${number}. ${shortened(plainLine(title), Math.max(1, each))}`)
    .join('\n')
    .slice(0, length);
}

function factsOf(locale: string, { net, ...item }: NewsItem): string {
  const host = hostBeside(item);
  return [netVotesText(locale, { up: net, down: 0 }), ...(host === null ? [] : [host])].join(' · ');
}

function paragraphs(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** It stands alone here, and in a digest at the end of a line. */
function pageText(locale: string): string {
  const text = translate(locale, 'digest.page');
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

function asText({ locale, title, community, intro, items, page }: Newsletter): string {
  const list = items.map((item, at) =>
    [`${at + 1}. ${item.title}`, item.description, item.link, factsOf(locale, item)]
      .filter((line) => line !== '')
      .join('\n   '),
  );
  const last = page === null ? [] : [`${pageText(locale)}\n${page}`];
  return `${[`${community}\n${title}`, ...paragraphs(intro), ...list, ...last].join('\n\n')}\n`;
}

function asMarkdown({ locale, title, community, intro, items, page }: Newsletter): string {
  const list = items.map((item, at) => {
    const lines = [item.description, factsOf(locale, item)].filter((line) => line !== '');
    const below = lines.map((line) => `\n   ${escapeMarkdown(line)}  `).join('');
    return `${at + 1}. **[${escapeMarkdown(item.title)}](<${item.link}>)**  ${below}`.trimEnd();
  });
  const last = page === null ? [] : [`[${pageText(locale)}](<${page}>)`];
  const head = [`# ${escapeMarkdown(title)}`, `*${escapeMarkdown(community)}*`];
  // The introduction is a moderator's own Markdown.
  return `${[...head, ...paragraphs(intro), ...list, ...last].join('\n\n')}\n`;
}

const FONT = 'font-family: Georgia, serif;';
const SANS = 'font-family: Arial, Helvetica, sans-serif;';
/** A word that is wider than a phone breaks: a link as a title. */
const BREAKS = 'word-break: break-word;';

function row(content: string, above = 0, style = ''): string {
  return `<tr><td style="padding: ${above}px 0 16px 0; ${BREAKS}${style}">${content}</td></tr>`;
}

/** The space above the first row below the title. */
const BELOW_TITLE = 16;

/**
 * Tables and inline styles alone: mail programs take little else. Outlook knows no greatest width and
 * centres by the text's alignment, so the inner table has a width, which others narrow on a phone.
 */
function asHtml({ locale, title, community, intro, items, page }: Newsletter): string {
  const rows = [
    row(
      `<p style="margin: 0; ${SANS} font-size: 13px; color: #6b665d;">${escaped(community)}</p>
<h1 style="margin: 4px 0 0 0; ${FONT} font-size: 26px; line-height: 1.25; color: #1c1b19;">${escaped(title)}</h1>`,
      0,
      ' border-bottom: 3px double #1c1b19;',
    ),
    ...paragraphs(intro).map((part, at) =>
      row(
        `<p style="margin: 0; ${SANS} font-size: 16px; line-height: 1.5; color: #26241f;">${escaped(part).replaceAll('\n', '<br>')}</p>`,
        at === 0 ? BELOW_TITLE : 0,
      ),
    ),
    ...items.map((item, at) => row(htmlItem(locale, item), at === 0 ? BELOW_TITLE : 0)),
    ...(page === null
      ? []
      : [
          row(
            `<p style="margin: 0; ${SANS} font-size: 14px;"><a href="${escaped(page)}" style="color: #b0370f;">${escaped(pageText(locale))}</a></p>`,
          ),
        ]),
  ];
  return `<!DOCTYPE html>
<html lang="${escaped(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
</head>
<body style="margin: 0; padding: 0; background-color: #fbfaf7;">
<table role="presentation" style="border-collapse: collapse; table-layout: fixed; width: 100%; background-color: #fbfaf7;">
<tr><td style="padding: 24px 12px; text-align: center;">
<table role="presentation" style="border-collapse: collapse; table-layout: fixed; width: 600px; max-width: 100%; margin: 0 auto; text-align: left;">
${rows.join('\n')}
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function htmlItem(locale: string, item: NewsItem): string {
  const { title, link, description } = item;
  const about =
    description === ''
      ? ''
      : `\n<p style="margin: 4px 0 0 0; ${SANS} font-size: 15px; line-height: 1.45; color: #26241f;">${escaped(description)}</p>`;
  return `<h2 style="margin: 0; ${FONT} font-size: 19px; line-height: 1.3;"><a href="${escaped(link)}" style="color: #1c1b19;">${escaped(title)}</a></h2>${about}
<p style="margin: 4px 0 0 0; ${SANS} font-size: 13px; color: #6b665d;">${escaped(factsOf(locale, item))}</p>`;
}

function escaped(text: string): string {
  const signs: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign);
}
