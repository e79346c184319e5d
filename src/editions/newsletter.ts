import { languageOf, translate } from '../text/catalogue.ts';
import { escapeHtml, escapeMarkdown, plainLine, shortened } from '../text/clean.ts';
import type { DaySum } from './stored-editions.ts';
import { dressed, type Fact, NO_FACTS } from '../articles/lists/article-facts.ts';

/** An item of a newsletter: an article as the edition showed it. */
export type NewsItem = {
  title: string;
  link: string;
  facts: readonly Fact[];
  /** What Discord found about the link; empty for nothing. */
  description: string;
  /** Who posted it; null where the page on the web would not name them. */
  poster: string | null;
  /** What the poster said about it, in one line; empty for nothing. */
  said: string;
  /** The address of its message, where members talk about it. */
  message: string;
};

export type Newsletter = {
  locale: string;
  community: string;
  title: string;
  /** What a moderator writes above the list, in paragraphs; empty for nothing. */
  intro: string;
  /** In their order. */
  items: readonly NewsItem[];
  /** What the edition showed below its list. */
  sections: readonly { heading: string; items: readonly NewsItem[] }[];
  /** What was posted in its time; null: it is not known. */
  day: DaySum | null;
  /** The edition's page on the web; null if it has none. */
  page: string | null;
  /** An invite to the community; null: it has none for everyone. */
  invite: string | null;
};

/** The same newsletter for mail programs, for what takes Markdown, and for everything else. */
export function writeNewsletter(letter: Newsletter): {
  html: string;
  markdown: string;
  text: string;
} {
  const html = asHtml(letter);
  return {
    html: Buffer.byteLength(html) < HTML_BYTES ? html : asHtml(withoutTexts(letter)),
    markdown: asMarkdown(letter),
    text: asText(letter),
  };
}

/** Titles, links and facts alone. */
function withoutTexts(letter: Newsletter): Newsletter {
  const sections = letter.sections.map(({ heading, items }) => {
    return { heading, items: items.map(withoutText) };
  });
  return { ...letter, items: letter.items.map(withoutText), sections };
}

function withoutText(item: NewsItem): NewsItem {
  return { ...item, description: '', said: '' };
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

/** Votes, its site, ★ and who posted it; its comments are a link of their own. */
function factsOf(locale: string, { facts, poster }: NewsItem): string {
  const written = dressed(facts, {
    ...NO_FACTS,
    votes: ({ text }) => text,
    site: ({ host }) => host,
    star: () => '★',
    poster: () => (poster === null ? '' : `${translate(locale, 'web.by')} ${poster}`),
  });
  return written.filter((text) => text !== '').join(' · ');
}

function talkText(locale: string, { facts }: NewsItem): string {
  const [text = ''] = dressed(facts, {
    ...NO_FACTS,
    comments: ({ count }) =>
      translate(locale, count === 0 ? 'web.discuss' : 'web.replies', { count }),
  });
  return text;
}

function quoted(locale: string, said: string): string {
  return said === '' ? '' : translate(locale, 'newsletter.said', { said });
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
  return text.charAt(0).toLocaleUpperCase(languageOf(locale)) + text.slice(1);
}

function asText({
  locale,
  title,
  community,
  intro,
  items,
  sections,
  ...letter
}: Newsletter): string {
  const listOf = (all: readonly NewsItem[]) =>
    all.map((item, at) =>
      [
        `${at + 1}. ${item.title}`,
        item.description,
        item.link,
        quoted(locale, item.said),
        factsOf(locale, item),
        `${talkText(locale, item)}: ${item.message}`,
      ]
        .filter((line) => line !== '')
        .join('\n   '),
    );
  const parts = sections.flatMap(({ heading, items: of }) => [heading, ...listOf(of)]);
  const last = [
    ...sumOf(locale, letter),
    ...(letter.page === null ? [] : [`${pageText(locale)}\n${letter.page}`]),
    ...(letter.invite === null ? [] : [`${joinText(locale, community)}\n${letter.invite}`]),
  ];
  const head = [`${community}\n${title}`, ...paragraphs(intro)];
  return `${[...head, ...listOf(items), ...parts, ...last].join('\n\n')}\n`;
}

/** What was posted in the time that the edition is about; empty where it is not known. */
function sumOf(locale: string, { day }: Pick<Newsletter, 'day'>): string[] {
  return day === null ? [] : [translate(locale, 'digest.day', day)];
}

function joinText(locale: string, community: string): string {
  return translate(locale, 'newsletter.join', { community });
}

function asMarkdown({ locale, title, community, intro, items, sections, ...letter }: Newsletter) {
  const listOf = (all: readonly NewsItem[]) =>
    all.map((item, at) => {
      const talk = `[${markdownText(talkText(locale, item))}](${destination(item.message)})`;
      const said = quoted(locale, item.said);
      const lines = [
        ...[item.description, said].filter((line) => line !== '').map(markdownText),
        `${markdownText(factsOf(locale, item))} · ${talk}`,
      ];
      const below = lines.map((line) => `\n   ${line}  `).join('');
      const head = `${at + 1}. **[${markdownText(item.title)}](${destination(item.link)})**  `;
      return `${head}${below}`.trimEnd();
    });
  const parts = sections.flatMap(({ heading, items: of }) => [
    `## ${markdownText(heading)}`,
    ...listOf(of),
  ]);
  const { page, invite } = letter;
  const last = [
    ...sumOf(locale, letter).map(markdownText),
    ...(page === null ? [] : [`[${pageText(locale)}](${destination(page)})`]),
    ...(invite === null
      ? []
      : [`[${markdownText(joinText(locale, community))}](${destination(invite)})`]),
  ];
  const head = [`# ${markdownText(title)}`, `*${markdownText(community)}*`];
  // The introduction is a moderator's own Markdown.
  return `${[...head, ...paragraphs(intro), ...listOf(items), ...parts, ...last].join('\n\n')}\n`;
}

/** An entity would be drawn as the sign that it names, and a line of `=` make a heading of the one above. */
function markdownText(text: string): string {
  return escapeMarkdown(text)
    .replaceAll('&', '\\&')
    .replace(/^([ \t]*)=/gm, '$1\\=');
}

/** An address in a link: a backslash would escape what follows, and an entity be another sign. */
function destination(address: string): string {
  const safe = address.replace(/[\\<>\s]/g, (sign) => encodeURIComponent(sign));
  return `<${safe.replaceAll('&', '&amp;')}>`;
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

/** A program that drops it shows the letter light. It overrides inline styles, which no other way does. */
const IN_THE_DARK = `<style>
@media (prefers-color-scheme: dark) {
body, table { background-color: #141518 !important; }
h1, h2, h3, p, h2 a, h3 a { color: #eceae4 !important; }
td { border-color: #eceae4 !important; }
p a { color: #ff9d7a !important; }
}
</style>`;

/**
 * Tables and inline styles alone, and colours for the dark: mail programs take little else. Outlook knows no greatest width and
 * centres by the text's alignment, so the inner table has a width, which others narrow on a phone.
 */
function asHtml(letter: Newsletter): string {
  const { locale, title, community, intro, items, sections, page, invite } = letter;
  const link = (address: string, text: string) =>
    row(
      `<p style="margin: 0; ${SANS} font-size: 14px;"><a href="${escapeHtml(address)}" style="color: #b0370f;">${escapeHtml(text)}</a></p>`,
    );
  const rows = [
    row(
      `<p style="margin: 0; ${SANS} font-size: 13px; color: #6b665d;">${escapeHtml(community)}</p>
<h1 style="margin: 4px 0 0 0; ${FONT} font-size: 26px; line-height: 1.25; color: #1c1b19;">${escapeHtml(title)}</h1>`,
      0,
      ' border-bottom: 3px double #1c1b19;',
    ),
    ...paragraphs(intro).map((part, at) =>
      row(
        `<p style="margin: 0; ${SANS} font-size: 16px; line-height: 1.5; color: #26241f;">${escapeHtml(part).replaceAll('\n', '<br>')}</p>`,
        at === 0 ? BELOW_TITLE : 0,
      ),
    ),
    ...items.map((item, at) => row(htmlItem(locale, item, 'h2'), at === 0 ? BELOW_TITLE : 0)),
    ...sections.flatMap(({ heading, items: of }) => [
      row(
        `<h2 style="margin: 0; ${SANS} font-size: 15px; color: #b0370f;">${escapeHtml(heading)}</h2>`,
        BELOW_TITLE,
      ),
      ...of.map((item) => row(htmlItem(locale, item, 'h3'))),
    ]),
    ...sumOf(locale, letter).map((sum) =>
      row(`<p style="margin: 0; ${SANS} font-size: 14px; color: #6b665d;">${escapeHtml(sum)}</p>`),
    ),
    ...(page === null ? [] : [link(page, pageText(locale))]),
    ...(invite === null ? [] : [link(invite, joinText(locale, community))]),
  ];
  return `<!DOCTYPE html>
<html lang="${escapeHtml(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${IN_THE_DARK}
<title>${escapeHtml(title)}</title>
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

/** `level`: below the title of the letter, or of a section. */
function htmlItem(locale: string, item: NewsItem, level: 'h2' | 'h3'): string {
  const { title, link, description, said, message } = item;
  return `<${level} style="margin: 0; ${FONT} font-size: 19px; line-height: 1.3;"><a href="${escapeHtml(link)}" style="color: #1c1b19;">${escapeHtml(title)}</a></${level}>${paragraph(description, SANS)}${paragraph(quoted(locale, said), FONT)}
<p style="margin: 4px 0 0 0; ${SANS} font-size: 13px; color: #6b665d;">${escapeHtml(factsOf(locale, item))} · <a href="${escapeHtml(message)}" style="color: #6b665d;">${escapeHtml(unbroken(talkText(locale, item)))}</a></p>`;
}

function paragraph(text: string, style: string): string {
  if (text === '') return '';
  return `\n<p style="margin: 4px 0 0 0; ${style} font-size: 15px; line-height: 1.45; color: #26241f;">${escapeHtml(text)}</p>`;
}

/** A number and what it counts stay in one line. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}
