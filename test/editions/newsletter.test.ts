import { HtmlValidate } from 'html-validate/node';
import { expect, test } from 'vitest';
import {
  inOrderOf,
  type Newsletter,
  orderLines,
  writeNewsletter,
} from '../../src/editions/newsletter.ts';
import { languages } from '../../src/text/catalogue.ts';

const nasty = '<script>alert(1)</script> [x](https://evil.example) & "quoted" *bold* 中文';

function letter(more: Partial<Newsletter> = {}): Newsletter {
  return {
    locale: 'en',
    community: 'Harbour & <friends>',
    title: 'Daily digest · March 9, 2027',
    intro: 'Hello!\n\nThis was a good <day>.',
    items: [
      { title: nasty, link: 'https://a.example/?q=1&r="2"', net: 12, description: nasty },
      { title: 'Second', link: 'https://b.example/', net: -1, description: '' },
    ],
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

test('a newsletter’s HTML has tables and inline styles alone, and loads nothing', () => {
  const { html: made } = writeNewsletter(letter());
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
    title: '<'.repeat(256),
    link: `https://a.example/${'&'.repeat(1900)}`,
    net: 99_999,
    description: '"'.repeat(300),
  };
  const items = Array.from({ length: 25 }, () => ({ ...long, link: 'https://a.example/' }));
  const { html: made } = writeNewsletter(letter({ items, intro: '&'.repeat(4000) }));
  expect(Buffer.byteLength(made)).toBeLessThan(100_000);
});

test('a title cannot make a link of its own in Markdown', () => {
  const { markdown } = writeNewsletter(letter());
  expect(markdown).not.toContain('[x](https://evil.example)');
  expect(markdown).toContain('(<https://a.example/');
  expect(markdown).toContain('This was a good <day>.');
});

test('the plain text has every title, link and number', () => {
  const { text } = writeNewsletter(letter());
  expect(text).toContain(
    '2. Second\n   https://b.example/\n   ▲ -1 · b.example'.replace('▲ -1', '▼ 1'),
  );
  expect(text.startsWith('Harbour & <friends>\nDaily digest')).toBe(true);
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
