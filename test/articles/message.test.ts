import {
  assert,
  bigInt,
  boolean,
  constantFrom,
  nat,
  property,
  record,
  string as anyString,
  uniqueArray,
  webUrl,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { articleMessage, readArticleMessage } from '../../src/articles/message.ts';
import { cleanTitle, MAX_TITLE_LENGTH, titleOfLink } from '../../src/text/clean.ts';
import { parseLink } from '../../src/ranking/links/parse.ts';

const snowflake = bigInt(1n, 2n ** 63n - 1n).map(String);
const title = anyString({ unit: 'binary', maxLength: 400 })
  .map(cleanTitle)
  .filter((text) => text !== '');
const link = webUrl({ withFragments: true, withQueryParameters: true })
  .map((url) => parseLink(url))
  .filter((parsed) => parsed.status === 'accepted')
  .map(({ href }) => href);
const carried = record({
  title,
  link,
  poster: snowflake,
  groups: uniqueArray(snowflake, { minLength: 1, maxLength: 10 }),
  up: nat(999_999_999),
  down: nat(999_999_999),
  interesting: boolean(),
  closed: boolean(),
});

describe('an article’s message', () => {
  test('can be read back in every language', () => {
    assert(
      property(carried, constantFrom('en-US', 'zh-CN', 'de', null), (article, locale) => {
        const message = articleMessage({ ...article, closesAtMs: 1_800_000_000_000 }, locale);
        expect(readArticleMessage(JSON.parse(JSON.stringify(message)))).toEqual(article);
      }),
    );
  });

  test('keeps Discord’s limits', () => {
    assert(
      property(carried, (article) => {
        const [embed] = articleMessage({ ...article, closesAtMs: 0 }, null).embeds;
        expect(embed?.title?.length).toBeLessThanOrEqual(256);
        expect(embed?.author?.name.length).toBeLessThanOrEqual(256);
        for (const { value } of embed?.fields ?? []) expect(value.length).toBeLessThanOrEqual(1024);
      }),
    );
  });

  test.each([
    ['no message', null],
    ['no embed', { embeds: [] }],
    ['another embed', { embeds: [{ title: 'x', url: 'https://a.example/' }] }],
    ['a digest', { embeds: [{ description: '1. x' }, { description: '2. y' }] }],
    [
      'a footer of another kind',
      {
        embeds: [
          {
            title: 'x',
            url: 'https://a.example/',
            fields: [{ value: '<@1>' }, { value: '<#1>' }],
            footer: { text: '1 of 2' },
          },
        ],
      },
    ],
  ])('is not seen in %s', (_, message) => {
    expect(readArticleMessage(message)).toBeNull();
  });
});

describe('a title', () => {
  test.each([
    ['  two \n\t lines ', 'two lines'],
    ['right\u202eto\u2066left', 'righttoleft'],
    ['zero\u200bwidth\u2060\ufeff', 'zerowidth'],
    ['lone \ud800 surrogate', 'lone surrogate'],
    ['\u3164\u2800\u115f', ''],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['a\u200db', 'ab'],
    ['e\u0301', 'é'],
    [`Z${'\u0300\u0301'.repeat(50)}`, 'Z\u0300\u0301\u0300\u0301'.normalize('NFC')],
    ['@everyone [x](https://evil.example)', '@everyone [x](https://evil.example)'],
  ])('%j becomes %j', (given, clean) => {
    expect(cleanTitle(given)).toBe(clean);
  });

  test('of any text is one line that fits, and cleaning it again changes nothing', () => {
    assert(
      property(anyString({ unit: 'binary', maxLength: 1000 }), (text) => {
        const clean = cleanTitle(text);
        expect(clean.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
        expect(clean).not.toMatch(/[\n\r\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/u);
        expect(cleanTitle(clean)).toBe(clean);
      }),
      { numRuns: 1000 },
    );
  });

  test('of a megabyte is cut between characters', () => {
    const clean = cleanTitle('👩‍👩‍👧'.repeat(100_000));
    expect(clean.endsWith('👩‍👩‍👧…')).toBe(true);
  });

  test.each([
    ['https://news.example/', 'news.example'],
    ['https://news.example:8080/a/b?c=d#e', 'news.example:8080/a/b'],
    ['https://xn--bcher-kva.de/%C3%A4', 'xn--bcher-kva.de/ä'],
    ['https://news.example/%ff', 'news.example/%ff'],
  ])('of the link %s is %s', (href, expected) => {
    expect(titleOfLink(href)).toBe(expected);
  });
});
