import { HtmlValidate } from 'html-validate/node';
import { expect, test } from 'vitest';
import {
  inOrderOf,
  type Newsletter,
  type NewsItem,
  orderLines,
  writeNewsletter,
} from '../../src/editions/newsletter.ts';
import { languages } from '../../src/text/catalogue.ts';

const nasty = '<script>alert(1)</script> [x](https://evil.example) & "quoted" *bold* 中文';

const item: NewsItem = {
  title: 'Second',
  link: 'https://b.example/',
  facts: [
    { kind: 'votes', text: '▼ 1' },
    { kind: 'site', host: 'b.example' },
  ],
  description: '',
  poster: null,
  said: '',
  message: 'https://discord.com/channels/1/2/3',
};

const rising: NewsItem['facts'] = [{ kind: 'votes', text: '▲ 9 (+3)' }];

function letter(more: Partial<Newsletter> = {}): Newsletter {
  return {
    locale: 'en',
    community: 'Harbour & <friends>',
    title: 'Daily digest · March 9, 2027',
    intro: 'Hello!\n\nThis was a good <day>.',
    items: [
      { ...item, title: nasty, link: 'https://a.example/?q=1&r="2"', description: nasty },
      item,
    ],
    sections: [{ heading: 'Still rising', items: [{ ...item, title: nasty, facts: rising }] }],
    invite: null,
    day: { articles: 12, posters: 7, votes: 146 },
    page: 'https://front.example/g/1/digest/daily/2027-03-09',
    ...more,
  };
}

const html = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: { 'no-trailing-whitespace': 'off', 'long-title': 'off', 'no-raw-characters': 'off' },
});

test.each([...languages.keys()])('a newsletter’s HTML is valid in %s', async (locale) => {
  const { results } = await html.validateString(writeNewsletter(letter({ locale })).html);
  const faults = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line}: ${ruleId}: ${message}`),
  );
  expect(faults).toEqual([]);
});

test('a newsletter’s HTML has tables, inline styles and colours for the dark alone, and loads nothing', () => {
  const { html: whole } = writeNewsletter(letter());
  const made = whole.replace(/<style>\n@media \(prefers-color-scheme: dark\) \{[^<]*<\/style>/, '');
  expect(made).not.toBe(whole);
  expect(made).not.toMatch(/<(?:script|style|link|img|div)\b|class=|url\(/);
  expect(made).toContain('<table role="presentation" style="');
  expect(made).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

/** Of text, tables and cells, by Gmail, Apple Mail and Outlook, also the one that draws with Word. */
const UNDERSTOOD =
  /^(?:background-color|border-bottom|border-collapse|color|font-family|font-size|font-weight|line-height|margin|padding|table-layout|text-align|width)$/;
/** A program that does not know these shows the letter wider, and nothing else changes. */
const HARMLESS = /^(?:max-width|word-break)$/;

test('a newsletter’s styles are those that mail programs understand, and padding is that of cells', () => {
  const { html: made } = writeNewsletter(letter());
  const styled = [...made.matchAll(/<(\w+)[^>]* style="([^"]*)"/g)];
  expect(styled.length).toBeGreaterThan(10);
  for (const [, tag = '', style = ''] of styled) {
    for (const declaration of style.split(';').filter((one) => one.trim() !== '')) {
      const [property = '', value = ''] = declaration.split(':').map((part) => part.trim());
      const isKnown = HARMLESS.test(property) || UNDERSTOOD.test(property);
      // Word knows padding in cells alone, and colours by six digits.
      const isPlaced = property !== 'padding' || tag === 'td' || tag === 'body';
      const isColour = !property.endsWith('color') || /^#[\da-f]{6}$/.test(value);
      expect({ tag, declaration, isKnown, isPlaced, isColour }).toEqual({
        tag,
        declaration,
        isKnown: true,
        isPlaced: true,
        isColour: true,
      });
      expect(value).not.toMatch(/calc|var\(|rgba|rem\b|\bem\b|vw|!important/);
    }
  }
  // What is drawn dark on light is not left to the program's own ground, nor the other way round.
  expect(made).toMatch(/<body style="[^"]*background-color/);
});

test('a newsletter of the longest articles is below the 100 kB that mail programs show', () => {
  const long = {
    ...item,
    said: '&'.repeat(280),
    title: '<'.repeat(256),
    link: `https://a.example/${'&'.repeat(1900)}`,
    description: '"'.repeat(300),
  };
  const items = Array.from({ length: 25 }, () => ({ ...long, link: 'https://a.example/' }));
  const { html: made } = writeNewsletter(letter({ items, intro: '&'.repeat(4000) }));
  expect(Buffer.byteLength(made)).toBeLessThan(100_000);
  // Bytes are counted, as mail programs do: each of these signs has three.
  const chinese = items.map((one) => ({
    ...one,
    said: '漢'.repeat(280),
    title: '漢'.repeat(256),
    description: '漢'.repeat(300),
    link: `https://a.example/${'a'.repeat(800)}`,
  }));
  const inChinese = writeNewsletter(letter({ items: chinese, intro: '漢'.repeat(4000) })).html;
  expect(Buffer.byteLength(inChinese)).toBeLessThan(100_000);
  expect(inChinese).toContain('漢'.repeat(256));
});

test('a title cannot make a link of its own in Markdown', () => {
  const { markdown } = writeNewsletter(letter());
  expect(markdown).not.toContain('[x](https://evil.example)');
  expect(markdown).toContain('(<https://a.example/');
  expect(markdown).toContain('This was a good <day>.');
});

test('a description of a line of = makes no heading of the title above it in Markdown', () => {
  const items = [{ ...item, description: '=====' }];
  expect(writeNewsletter(letter({ items })).markdown).toContain('\n   \\=====');
});

test('the plain text has every title, link and number', () => {
  const { text } = writeNewsletter(letter());
  expect(text).toContain('2. Second\n   https://b.example/\n   ▼ 1 · b.example');
  expect(text.startsWith('Harbour & <friends>\nDaily digest')).toBe(true);
});

test('a letter has ★, who posted, what they said, the comments, the sum of its day and an invitation, in all its forms', () => {
  const facts: NewsItem['facts'] = [
    { kind: 'votes', text: '▲ 9' },
    { kind: 'star' },
    { kind: 'poster', member: '1' },
    { kind: 'comments', count: 12 },
  ];
  const warm = { ...item, facts, poster: 'Ada', said: 'A gem.' };
  const invite = 'https://discord.gg/abc';
  const written = writeNewsletter(letter({ items: [warm], invite, community: 'Harbour' }));
  // In a mail, the number and its sign never part.
  expect(written.html).toContain('12\u00a0comments');
  for (const form of Object.values(written)) {
    const text = form.replaceAll('\u00a0', ' ');
    for (const part of ['▲ 9 · ★ · posted by Ada', 'A gem.', '12 comments', 'Still rising', '+3']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('12 articles by 7 members · 146 votes');
    expect(text).toMatch(/Join Harbour on Discord/);
    expect(text).toContain('https://discord.com/channels/1/2/3');
    expect(text).toContain(invite);
  }
});

test('the names of a member and of a server are text in all forms of a letter', () => {
  const facts: NewsItem['facts'] = [{ kind: 'poster', member: '1' }];
  const invite = 'https://discord.gg/abc';
  const items = [{ ...item, facts, poster: nasty }];
  const { html: mail, markdown } = writeNewsletter(letter({ items, invite, community: nasty }));
  expect(mail).toContain('posted by &lt;script&gt;');
  expect(mail).not.toContain('<script');
  expect(markdown).toContain('posted by \\<script');
  expect(markdown).not.toContain('[x](https://evil.example)');
  expect(markdown).not.toContain(' *bold*');
});

test('a letter says of who hid their name nothing at all', () => {
  const facts: NewsItem['facts'] = [
    { kind: 'votes', text: '▲ 1' },
    { kind: 'poster', member: '1' },
  ];
  const items = [{ ...item, facts, poster: null }];
  for (const form of Object.values(writeNewsletter(letter({ items })))) {
    expect(form).toContain('▲ 1');
    expect(form).not.toMatch(/posted by|null/);
  }
});

test('a link that ends in a backslash or holds an entity is the same link in Markdown', () => {
  const links = ['https://a.example/C:\\', 'https://a.example/?a=&lt;b&gt;&copy=1'];
  const items = links.map((link) => ({ ...item, link, title: 'AT&amp;T &lt;x&gt;' }));
  const { markdown } = writeNewsletter(letter({ items, sections: [] }));
  const title = 'AT\\&amp;T \\&lt;x\\&gt;';
  expect(markdown).toContain(`1. **[${title}](<https://a.example/C:%5C>)**`);
  expect(markdown).toContain(
    `2. **[${title}](<https://a.example/?a=&amp;lt;b&amp;gt;&amp;copy=1>)**`,
  );
});

/** Items of these titles with their numbers. */
const numbered = (titles: string[]) => titles.map((title, at) => ({ number: at + 1, title }));

test('a moderator’s lines give the order, and leave out what they deleted', () => {
  const items = numbered(['a', 'b', 'c']);
  const titles = (lines: string, of = items) => inOrderOf(of, lines).map(({ title }) => title);
  expect(titles(orderLines(items, 4000))).toEqual(['a', 'b', 'c']);
  expect(titles('3. c\n1. a')).toEqual(['c', 'a']);
  expect(titles('2\n2\n9\nnothing')).toEqual(['b']);
  expect(titles('')).toEqual(['a', 'b', 'c']);
});

test('the number of an article that has left its edition stands for no other one', () => {
  const left = numbered(['a', 'b', 'c']).slice(1);
  const titles = (lines: string) => inOrderOf(left, lines).map(({ title }) => title);
  expect(titles('1. a\n3. c')).toEqual(['c']);
  expect(titles('1. a')).toEqual([]);
  expect(titles('')).toEqual(['b', 'c']);
});

test('the lines of an order fit a form, with the longest titles too', () => {
  const items = numbered(Array.from({ length: 25 }, () => '長'.repeat(256)));
  const lines = orderLines(items, 4000);
  expect(lines.length).toBeLessThanOrEqual(4000);
  expect(inOrderOf(items, lines)).toHaveLength(25);
});
