import { describe, expect, test } from 'vitest';
import {
  asSpoiler,
  cleanComment,
  cleanTitle,
  code,
  escapeHtml,
  escapeMarkdown,
  fitting,
  isSpoiler,
  plainText,
  shortened,
  shownHost,
  titleOfLink,
  titleOfWords,
  unescapeMarkdown,
} from '../../src/text/clean.ts';

describe('a text of somebody else', () => {
  test.each([
    ['\u200b|| The end ||', '||The end||'],
    ['||\u200b||', ''],
    ['||a||b||', '||a||b||'],
    ['  two\n lines ', 'two lines'],
  ])('the title %j is kept as %j', (typed, title) => {
    expect(cleanTitle(typed)).toBe(title);
    expect(cleanTitle(title)).toBe(title);
  });

  test('a spoiler stays one in the text of a message, whatever its signs', () => {
    expect(plainText('||It *was* him||', 80)).toBe('||It \\*was\\* him||');
    expect(plainText('It *was* him', 80)).toBe('It \\*was\\* him');
  });

  test('a comment has ten lines at most, and none that is empty', () => {
    const lines = Array.from({ length: 12 }, (_, at) => `Line ${at}`);
    expect(cleanComment(lines.join('\r\n\n'))).toBe(lines.slice(0, 10).join('\n'));
  });

  test('a text that is cut ends with an ellipsis, and cuts no emoji in two', () => {
    expect(shortened('abcdef', 6)).toBe('abcdef');
    expect(shortened('abcdefg', 6)).toBe('abcde…');
    expect(shortened('ab 👩‍👩‍👧 cd', 6)).toBe('ab…');
  });

  test('a comment that is escaped shows no heading, list, quote or mention, and is read back as it was', () => {
    const lines = [
      '# Big',
      '> said',
      '- one',
      '1. first',
      '@everyone',
      'https://a.example',
      '[a](b)',
    ];
    const shown = escapeMarkdown(lines.join('\n')).split('\n');
    expect(shown).toEqual([
      '\\# Big',
      '\\> said',
      '\\- one',
      '1\\. first',
      '\\@everyone',
      'https\\://a.example',
      '\\[a\\]\\(b\\)',
    ]);
    expect(unescapeMarkdown(shown.join('\n'))).toBe(lines.join('\n'));
  });

  test('a text as code is one line in which nothing is parsed', () => {
    expect(code('a `b`\n@everyone')).toBe('`a ˋbˋ @everyone`');
    expect(code(' \n')).toBe('—');
  });

  test('a text in HTML has none of its five signs', () => {
    expect(escapeHtml(`<a href="x">'&'</a>`)).toBe(
      '&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;',
    );
  });
});

test.each([
  ['A good title', 'A good title'],
  ['**Bold** `code`', 'Bold code'],
  ['Go on', 'Go on'],
  ['here', ''],
  ['source', ''],
  ['Hexagonal!', 'Hexagonal!'],
  ['hexagonal', ''],
  ['新しい記事', '新しい記事'],
  ['ここ', ''],
  ['https://example.com/page', ''],
  ['www.example', ''],
  ['example.com/a-page', ''],
  ['The site example.com is down', 'The site example.com is down'],
])('the words %j over a link are its title %j', (words, title) => {
  expect(titleOfWords(words)).toBe(title);
});

test.each([
  ['https://www.example.com/', 'www.example.com'],
  ['https://example.com/caf%C3%A9', 'example.com/café'],
  ['https://example.com/%ff', 'example.com/%ff'],
])('a link without a title is called by its address: %s is %s', (href, title) => {
  expect(titleOfLink(href)).toBe(title);
});

test('a host is in its own letters where none of them can be taken for another’s', () => {
  expect(shownHost('xn--wgv71a119e.jp')).toBe('日本語.jp');
  // А Cyrillic word that looks like apple, and a single メ that looks like x.
  expect(shownHost('xn--80ak6aa92e.com')).toBe('xn--80ak6aa92e.com');
  expect(shownHost('xn--odk.com')).toBe('xn--odk.com');
});

test('of several texts as many are said as fit, and the number of those left out', () => {
  const texts = ['one', 'two', 'three'];
  const fit = (length: number, total?: number) =>
    fitting(texts, { length, between: ', ', more: (left) => `+${left}`, ...(total && { total }) });
  expect(fit(15)).toBe('one, two, three');
  expect(fit(14)).toBe('one, two, +1');
  expect(fit(11)).toBe('one, +2');
  expect(fit(1)).toBe('+3');
  expect(fit(30, 5)).toBe('one, two, three, +2');
});

test('a title in which bars stand is a spoiler all the same, once somebody hides it', () => {
  expect(asSpoiler('Who || did ||| it')).toBe('||Who | did | it||');
  expect(isSpoiler(asSpoiler('Who || did ||| it'))).toBe(true);
});
