import {
  array,
  assert,
  bigInt,
  boolean,
  constantFrom,
  nat,
  oneof,
  option,
  property,
  record,
  string as anyString,
  uniqueArray,
  webUrl,
} from 'fast-check';
import type { APIMessage } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { parseMarkdown, shownText } from '../../../discord-box/src/world/markdown/parse.ts';
import {
  articleMessage,
  type Carried,
  isOwnRemoval,
  readArticleMessage,
  removedMessage,
} from '../../../src/articles/messages/article-message.ts';
import { compareMessage } from '../../../src/articles/messages/compare-message.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';
import { removedThreadName } from '../../../src/articles/messages/thread-name.ts';
import { languages } from '../../../src/text/catalogue.ts';
import {
  asSpoiler,
  cleanTitle,
  MAX_TITLE_LENGTH,
  titleOfLink,
  cleanComment,
} from '../../../src/text/clean.ts';
import { MAX_LINK_LENGTH, parseLink } from '../../../src/ranking/links/parse.ts';

const snowflake = bigInt(1n, 2n ** 63n - 1n).map(String);
const title = anyString({ unit: 'binary', maxLength: 400 })
  .map(cleanTitle)
  .filter((text) => text !== '');
const link = webUrl({ withFragments: true, withQueryParameters: true })
  .map((url) => parseLink(url))
  .filter((parsed) => parsed.status === 'accepted')
  .map(({ href }) => href);
const comment = array(anyString({ unit: 'binary', maxLength: 200 }), { maxLength: 8 }).map(
  (lines) => cleanComment(lines.join('\n')),
);
const hostile = constantFrom(
  '**bold** [x](https://evil.example) ||spoiler|| `code`',
  '<@1> <#2> <@&3> @everyone @here <t:1:R> </post:1> <:x:1>',
  '> quote\n-# small\n# big\n1. one\n- two\n```js',
  'a\\ \\*b\\] :// www.evil.example ** · host',
  '-# by <@1> in <#2>',
  '||Snape kills him||',
  '||__a__ | `b`||',
  '|| ||',
);
const carried = record({
  title: oneof(title, title.map(asSpoiler), hostile.map(cleanTitle)).filter((text) => text !== ''),
  link,
  comment: oneof(comment, hostile.map(cleanComment)),
  poster: snowflake,
  groups: uniqueArray(snowflake, { minLength: 1, maxLength: 10 }),
  interesting: boolean(),
  locked: boolean(),
  result: option(record({ up: nat(999_999_999), down: nat(999_999_999) })),
  beside: boolean(),
}).map(
  ({ comment, locked, result, ...rest }): Carried => ({
    ...rest,
    ...(comment === '' ? {} : { comment }),
    ...(result ?? { up: 0, down: 0 }),
    closed: result !== null,
    locked: locked && result === null,
  }),
);

const closesAtMs = 1_795_900_000_000;
const hexagons = {
  title: 'Hexagonal Grids',
  link: 'https://www.redblobgames.com/grids/hexagons/',
  comment: 'The best thing ever written about hex maps.',
  poster: '111',
  groups: ['222', '333'],
  interesting: false,
  locked: false,
  closed: false,
  up: 0,
  down: 0,
  beside: false,
};
const lines = (more: object) =>
  articleMessage({ ...hexagons, closesAtMs, ...more }, 'en-US').split('\n');

describe('an article’s message', () => {
  test('an article’s message is its title as a link and the host, the comment as a quote, and a line of facts', () => {
    expect(lines({})).toEqual([
      '**[Hexagonal Grids](https://www.redblobgames.com/grids/hexagons/)** · redblobgames.com',
      '> The best thing ever written about hex maps.',
      '-# by <@111> in <#222> <#333> · voting ends <t:1795900000:R>',
    ]);
  });

  test.each([
    ['interesting', { interesting: true }, 0, /^★ \*\*\[Hexagonal/],
    ['locked', { locked: true }, -1, /^-# 🔒 by <@111> in .* · voting is stopped$/u],
    [
      'closed',
      { closed: true, up: 214, down: 20 },
      -1,
      /^-# ▲ 214 ▼ 20 · voting is over · by <@111> in <#222> <#333>$/,
    ],
    ['beside a member’s own message', { beside: true }, 0, /\]\(<https:[^>]+>\)\*\*/],
  ])('an article’s message says that the article is %s', (_, more, at, expected) => {
    expect(lines(more).at(at)).toMatch(expected);
  });

  test.each([
    'grids.example/hexagons',
    'https://evil.example is not here',
    'www.evil.example',
    'Hexagons 🐝',
    'Hexagons [pdf]',
  ])(
    'an article’s message has the bare link under the title %j, which Discord would not mask',
    (given) => {
      const [first = '', second] = lines({ title: given });
      expect(first).toMatch(/^\*\*[^[].*\*\* · redblobgames\.com$/u);
      expect(second).toBe(hexagons.link);
    },
  );

  test('an article’s message names the host once where the title is the address itself', () => {
    const link = 'https://www.redblobgames.com/grids/';
    const title = titleOfLink(link);
    const untitled = lines({ link, title, interesting: true });
    expect(untitled.slice(0, 2)).toEqual(['★ **www.redblobgames.com/grids/**', link]);
    const back = readArticleMessage({ content: untitled.join('\n') });
    expect(back).toMatchObject({ link, title, interesting: true });
    // Of a longer host a list could cut the end, which shows the owner.
    const long = `https://${'accounts.'.repeat(3)}evil.example/`;
    expect(lines({ link: long, title: titleOfLink(long) })[0]).toContain('** · accounts.');
    const posing = 'https://evil.example/a%20·%20good.example';
    expect(lines({ link: posing, title: titleOfLink(posing) })[0]).toMatch(/ · evil\.example$/);
  });

  test.each(['Node.js 24 in production', 'Version 3.14 of e.g. this'])(
    'an article’s message masks the link of %j',
    (given) => {
      expect(lines({ title: given })[0]).toContain(`[${given}](`);
    },
  );

  test.each([
    'https://en.wikipedia.org/wiki/Foo_(bar)',
    'https://a.example/x**y',
    'https://a.example/?q=\\',
  ])('an article’s message has %s bare, since its signs would end a masked link', (odd) => {
    expect(lines({ link: odd })[1]).toBe(odd);
  });

  test.each(['https://a.example/(x))', 'https://a.example/(x).'])(
    'an article’s message has %s between angles, since Discord would drop its end',
    (odd) => {
      expect(lines({ link: odd })[1]).toBe(`<${odd}>`);
    },
  );

  test.each([
    ['Snape kills him', '||**[Snape kills him](https://news.example/a)**|| · news.example'],
    ['a `b` c `d`', '||**a \\`b\\` c \\`d\\`**|| · news.example\n||https://news.example/a||'],
  ])('an article’s message hides a spoiler’s title and preview: %s', (title, head) => {
    const spoiler = { link: 'https://news.example/a', title: `||${title}||` };
    const content = lines({ ...spoiler, interesting: true }).join('\n');
    expect(content.startsWith(`★ ${head}\n`)).toBe(true);
    expect(readArticleMessage({ content })).toMatchObject(spoiler);
    const [hidden] = parseMarkdown(lines(spoiler).join('\n'));
    expect(hidden).toMatchObject({ type: 'spoiler' });
    expect(shownText([hidden!])).toBe(title);
  });

  test('an article’s message can be read back in every language, whatever its title, link and comment', () => {
    assert(
      property(carried, constantFrom('en-US', 'zh-CN', 'de', null), (article, locale) => {
        const content = articleMessage({ ...article, closesAtMs }, locale);
        const back = readArticleMessage({ content });
        const cut = back?.comment;
        // A bare link that ends in a full stop is between angles as well.
        expect(back).toEqual({
          ...article,
          ...(cut ? { comment: cut } : {}),
          beside: back?.beside,
        });
        expect([true, article.beside]).toContain(back?.beside);
        // A comment that does not fit is cut, or left out.
        expect(article.comment ?? '').toContain(cut?.replace(/…$/, '') ?? '');
      }),
      { numRuns: 200 },
    );
  });

  test('an article’s message leaves nothing of a comment that Discord would parse', () => {
    assert(
      property(carried, (article) => {
        const content = articleMessage({ ...article, closesAtMs }, 'en-US');
        const others = content.split('\n').slice(1);
        const texts: string[] = [];
        for (const line of others.slice(0, -1)) {
          if (line.startsWith('> ')) texts.push(line.slice(2));
          expect(line).not.toMatch(/^> (?:[#+>-]|\d+[.)])/);
          expect(line).toMatch(/^(?:> |(?:\|\|)?<?https?:)/);
        }
        for (const text of texts) {
          const bare = text.replace(/\\[\\*_~|`[\]()<>@:#+>.-]/g, '');
          expect(bare).not.toMatch(/[*_~|`[\]<>]|:\/\/|@everyone|@here/);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('an article’s message has as much of a comment as fits, and all other words in their place', () => {
    const [head, shown = '', facts, ...none] = lines({ comment: '*'.repeat(1000) });
    expect([head, facts, none]).toEqual([lines({})[0], lines({}).at(-1), []]);
    expect(shown).toMatch(/^> (?:\\\*){800,}…$/);
  });

  test('an article’s message keeps Discord’s limit of characters', () => {
    const longest = {
      title: '*'.repeat(256),
      link: `https://${'a.'.repeat(100)}example/`.padEnd(MAX_LINK_LENGTH, 'x'),
      comment: cleanComment('*'.repeat(1000)),
      poster: '9'.repeat(19),
      groups: Array.from({ length: 10 }, (_, i) => `${i}${'9'.repeat(18)}`),
      interesting: true,
      locked: true,
      closed: false,
      up: 0,
      down: 0,
      beside: true,
    };
    for (const locale of ['en-US', 'zh-CN']) {
      const content = articleMessage({ ...longest, closesAtMs }, locale);
      expect(content.length).toBeLessThanOrEqual(2000);
      expect(readArticleMessage({ content })).toMatchObject({
        title: longest.title,
        link: longest.link,
        groups: longest.groups,
      });
    }
    assert(
      property(carried, (article) => {
        const content = articleMessage({ ...article, closesAtMs }, null);
        expect(content.length).toBeLessThanOrEqual(2000);
      }),
    );
  });

  test.each([
    ['no message', null],
    ['an empty message', { content: '' }],
    ['what stands for a removed article', { content: '-# Removed by a moderator.' }],
    ['a digest', { content: '## Daily digest\nHexagonal Grids and 9 more' }],
    [
      'an announcement',
      {
        content:
          '★ [Hexagonal Grids](https://www.redblobgames.com/) · redblobgames.com is one of the best.\n-# ▲ 3 · <@1> · <#1> · <t:1795900000:R>',
      },
    ],
    [
      'a link of another scheme',
      { content: '**[x](ftp://a.example/)** · a.example\n-# by <@1> in <#2>' },
    ],
    ['a title without a line of facts', { content: '**[x](https://a.example/)** · a.example' }],
    ['a spoiler without a link', { content: '||**x**|| · a.example\n-# by <@1> in <#2>' }],
    [
      'a link that nobody can post',
      { content: '**[x](http://127.0.0.1/)** · 127.0.0.1\n-# by <@1> in <#2>' },
    ],
    [
      'more lines than there can be',
      { content: '**[x](https://a.example/)** · a.example\nhello\n-# by <@1> in <#2>' },
    ],
  ])('an article’s message is not seen in %s', (_, message) => {
    expect(readArticleMessage(message)).toBeNull();
  });
});

const article: Article = {
  ...hexagons,
  id: '444',
  channel: '222',
  home: '222',
  postedAtMs: closesAtMs - 1,
  closesAtMs,
  score: 0,
  listed: true,
};
const own = (id: number, name = 'up') => ({
  signs: { up: `<:${name}:${id}>`, down: '👎', isDownOffered: true },
});
const ID = 100_000_000_000_000;
const longComment = '*'.repeat(1000);

/** What comparing finds of an article whose message says something else, or has something beside it. */
function compared(more: Partial<Article>, said: Partial<Article>, beside: object = {}): string[] {
  const content = articleMessage({ ...article, ...said, beside: false }, 'de');
  const message = { channel_id: '222', content, ...beside } as unknown as APIMessage;
  const { isOfArticle, isStateEqual, isUpToDate } = compareMessage(
    { ...article, ...more },
    message,
  );
  const found = { 'its own': isOfArticle, 'its state': isStateEqual, 'up to date': isUpToDate };
  return Object.entries(found).flatMap(([name, holds]) => (holds ? [name] : []));
}
const ALL = ['its own', 'its state', 'up to date'];
const OLDER = ['its own', 'its state'];
const OTHER_STATE = ['its own'];
const OTHERS = ['its state'];
const address = titleOfLink(hexagons.link);
const untitled = { title: address };
const closed = { closed: true, up: 5, down: 2 };

describe('a message beside its article', () => {
  test.each<[string, string[], Partial<Article>, Partial<Article>, object?]>([
    ['says the same in another language', ALL, {}, {}],
    ['is in another channel', [...OTHERS, 'up to date'], {}, {}, { channel_id: '333' }],
    ['is of another poster', OTHERS, {}, { poster: '112' }],
    ['has another link', OTHERS, {}, { link: 'https://www.redblobgames.com/' }],
    ['has other signs', OTHERS, own(ID), own(ID, 'yes')],
    ['has signs that Discord gave another id', ALL, own(ID), own(ID + 1)],
    ['has another title', OTHER_STATE, {}, { title: 'Squares' }],
    ['has another comment', OTHER_STATE, {}, { comment: 'Another one.' }],
    ['begins its comment alike', OTHER_STATE, {}, { comment: 'The best thing' }],
    ['has another cut comment', OTHER_STATE, { comment: longComment }, { comment: 'The best…' }],
    [
      'has its comment cut',
      OLDER,
      { comment: 'a'.repeat(900) },
      { comment: `${'a'.repeat(500)}…` },
    ],
    ['is in other channels', OTHER_STATE, {}, { groups: ['222'] }],
    ['is locked', OTHER_STATE, {}, { locked: true }],
    ['has the ★', OLDER, {}, { interesting: true }],
    ['says that voting is over', OTHER_STATE, {}, closed],
    ['does not say yet that voting is over', OLDER, closed, {}],
    ['says from before the end that it is locked', OLDER, closed, { locked: true }],
    ['has another result', OTHER_STATE, closed, { ...closed, up: 6 }],
    ['has another result of down votes', OTHER_STATE, closed, { ...closed, down: 1 }],
    ['has the result', ALL, closed, closed],
    ['has a thread with the address for a name', OLDER, {}, {}, { thread: { name: address } }],
    ['has the address for a title', ALL, untitled, untitled, { thread: { name: address } }],
    ['has the thread of a removed one', OLDER, {}, {}, { thread: { name: 'Removed article' } }],
    ['has a thread that somebody named', ALL, {}, {}, { thread: { name: 'About it' } }],
    ['stands for the removed article', ['its own'], {}, {}, { content: '-# Removed.' }],
    ['is something else', [], {}, {}, { content: 'Hello' }],
  ])('a message that %s is found to be %j', (_, found, more, said, beside) => {
    expect(compared(more, said, beside)).toEqual(found);
  });

  test('a message with the thread of a removed one is found to be older in every language', () => {
    for (const locale of languages.keys()) {
      const thread = { name: removedThreadName(locale) };
      expect(compared({}, {}, { thread })).toEqual(OLDER);
    }
  });

  test('a tombstone beside a member’s own message is known by what it answers, and a late answer to a command is none', () => {
    const tombstone = { channel_id: '222', content: '-# Removed.', message_reference: {} };
    const isBeside = (more: object) =>
      compareMessage(article, { ...tombstone, ...more } as unknown as APIMessage).beside;
    expect(isBeside({})).toBe(true);
    expect(isBeside({ interaction_metadata: { id: '1' } })).toBe(false);
    expect(isBeside({ message_reference: undefined })).toBe(false);
  });

  test('a tombstone says in every language whether the poster removed the article', () => {
    for (const locale of [...languages.keys(), null]) {
      for (const reason of ['', 'Old news']) {
        expect(isOwnRemoval(removedMessage({ own: true, reason }, locale))).toBe(true);
        expect(isOwnRemoval(removedMessage({ own: false, reason }, locale))).toBe(false);
      }
    }
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
    // Letters of scripts that join, and of flags.
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['کتاب\u200cها', 'کتاب\u200cها'],
    ['\u200cمی\u200c خواهم\u200c', 'می خواهم'],
    ['۱۴۰۲ ه\u200d.ش', '۱۴۰۲ ه\u200d.ش'],
    ['ශ්\u200dරී ලංකා', 'ශ්\u200dරී ලංකා'],
    ['क्\u200dष', 'क्\u200dष'],
    ['ന്\u200d', 'ന്\u200d'],
    ['Auf\u200clage', 'Auflage'],
    [
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    ['🏴\u{e0065}\u{e0076}\u{e0069}\u{e006c}\u{e007f} a\u{e0061}b', '🏴 ab'],
    ['🏴\u200d☠\ufe0f 🏳\ufe0f\u200d🌈', '🏴\u200d☠\ufe0f 🏳\ufe0f\u200d🌈'],
    ['بسم\u06dd', 'بسم\u06dd'],
    ['⠓⠊\u2800⠞⠓⠑⠗⠑', '⠓⠊ ⠞⠓⠑⠗⠑'],
    ['a\u200b\u200c\u200d\u2060\u00adb', 'ab'],
    ['e\u0301', 'é'],
    [`Z${'\u0300\u0301'.repeat(50)}`, 'Z\u0300\u0301\u0300\u0301'.normalize('NFC')],
    ['@everyone [x](https://evil.example)', '@everyone [x](https://evil.example)'],
  ])('the title %j becomes %j when it is cleaned', (given, clean) => {
    expect(cleanTitle(given)).toBe(clean);
  });

  test('a title of any text is one line that fits, and cleaning it again changes nothing', () => {
    assert(
      property(anyString({ unit: 'binary', maxLength: 1000 }), (text) => {
        const clean = cleanTitle(text);
        expect(clean.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
        expect(clean).not.toMatch(/[\n\r\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/u);
        expect(cleanTitle(clean)).toBe(clean);
      }),
      { numRuns: 300 },
    );
  });

  test('a title of a megabyte is cut between characters', () => {
    const clean = cleanTitle('👩‍👩‍👧'.repeat(100_000));
    expect(clean.endsWith('👩‍👩‍👧…')).toBe(true);
  });

  test.each([
    ['https://news.example/', 'news.example'],
    ['https://news.example:8080/a/b?c=d#e', 'news.example:8080/a/b'],
    ['https://xn--bcher-kva.de/%C3%A4', 'xn--bcher-kva.de/ä'],
    ['https://news.example/%ff', 'news.example/%ff'],
    ['https://例子.中国/新闻', '例子.中国/新闻'],
    ['https://ニュース.example:8080/', 'ニュース.example:8080'],
    // Alike to another name: Cyrillic, one letter, and letters mixed with Latin ones.
    ['https://аррӏе.com/', 'xn--80ak6aa92e.com'],
    ['https://メ.com/', 'xn--4dk.com'],
    ['https://aノb.example/', 'xn--ab-8j4a.example'],
  ])('a title of the link %s is %s', (href, expected) => {
    expect(titleOfLink(href)).toBe(expected);
  });
});
