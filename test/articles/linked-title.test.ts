import { assert, constantFrom, property, string as anyString } from 'fast-check';
import { array, oneof } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allParts, parseMarkdown, shownText } from '../../discord-box/src/world/markdown/parse.ts';
import { articleMessage, readArticleMessage } from '../../src/articles/messages/article-message.ts';
import {
  besideTitle,
  hostName,
  hostOf,
  isMaskable,
  linkedTitle,
} from '../../src/articles/linked-title.ts';
import { cleanTitle, isSpoiler } from '../../src/text/clean.ts';

const address = 'https://news.example/a';
const others = {
  link: address,
  poster: '111',
  groups: ['222'],
  interesting: false,
  locked: false,
  closed: false,
  up: 0,
  down: 0,
  beside: false,
  closesAtMs: 0,
};
const messageOf = (title: string) => articleMessage({ ...others, title }, 'en-US');
const listed = (title: string, shownIn: 'content' | 'embed') =>
  linkedTitle(title, address, { shownIn, length: 256, word: 'visit' });

/** What a reader of Discord sees, and everything in it that is more than letters. */
function seen(text: string, shownIn: 'content' | 'embed') {
  const parts = parseMarkdown(text, shownIn);
  const acting = [...allParts(parts)].filter(({ type }) => type !== 'text' && type !== 'bold');
  return { letters: shownText(parts), acting };
}
const ours = { type: 'link', url: address, isSuppressed: false };
const drawnEmoji = ({ type, ...part }: { type: string; kind?: string }) =>
  type === 'emoji' && part.kind === 'character';

// Titles that sites have, with the signs that Discord could take for its own.
const masked = [
  'Why snake_case | Example News',
  'Vec<T> -> Box<T>',
  'Rust: i32 | i64 and Option<&str>',
  'A* search, explained',
  'Is 5 * 3 > 10?',
  'C# 14 and F#',
  'What’s new in C++26 (part 2)',
  'a_b_c and MAX_PATH_LEN',
  'Ratio 16:9 at 10:30:15',
  'Costs ~5 % more',
  'The #1 mistake — and how to avoid it',
  'One ` is not code',
  '日本語の記事：使い方 | サイト',
  'Node.js 24 in production',
  '™ and © are letters',
  'A | B | C',
  'user@host or @someone',
  'x ** y is not here'.replace('** ', '^ '),
];
const apart = [
  'Use `async` now',
  '__init__.py, explained',
  'my_var and your_',
  '*Really*? **Yes**',
  '~~Old~~ new prices',
  '||Snape|| kills him',
  '[2024] The year in review',
  'C:\\Users\\me',
  '¯\\_(ツ)_/¯',
  'Hello <@123> and <#456>',
  '@everyone, look',
  'at <t:0:R> sharp',
  'https://evil.example is not here',
  'http:∕∕evil.example',
  'evil.example/login',
  'a :bee: in my code',
  '2a14:6f42:c::/48',
  '# of users',
  '1. Introduction',
  '- a dash',
  '> quoted',
  'می‌خواهم',
  '</help:1> me',
  '<https://evil.example>',
];
const withEmoji = ['Hexagons 🐝', 'Made with ❤️', '🇩🇪 news', '3️⃣ ways', 'Done ✅'];

describe('a title', () => {
  test.each(masked)('the title %j stands in the brackets as it is', (title) => {
    for (const shownIn of ['content', 'embed'] as const) {
      expect(listed(title, shownIn)).toBe(`[${title}](${address})`);
    }
    expect(messageOf(title)).toContain(`**[${title}](${address})** · news.example`);
  });

  test.each(apart)('the title %j stands before its link', (title) => {
    for (const shownIn of ['content', 'embed'] as const) {
      expect(listed(title, shownIn)).toMatch(/ · \[visit\]\(https:\/\/news\.example\/a\)$/);
    }
    expect(messageOf(title)).toMatch(/\*\* · news\.example\nhttps:\/\/news\.example\/a\n/);
  });

  test.each(withEmoji)('the title %j stands in the brackets in an embed only', (title) => {
    expect(isMaskable(title, 'embed')).toBe(true);
    expect(isMaskable(title, 'content')).toBe(false);
  });

  test.each([...masked, ...apart, ...withEmoji])(
    'the title %j is shown letter for letter, in a list, an announcement and its message, and read back',
    (title) => expectShown(title),
  );

  test('a title of any letters is shown letter for letter, pings nobody, and leads nowhere else', () => {
    const pieces =
      '* ** _ __ ~~ || | ` `` ``` \\ [ ] ( ) < > <@1> <@&1> <#1> <t:0:R> </a:1> <:a:12345678901234567> @everyone ' +
      '@here : :: :c: :+1: https:// https://a.b steam://x www.a.de a.de # -# 1. - > >>> 🐝 ❤️ 🇩🇪 👩‍👩‍👧 x y_z A ( 記事 می‌خواهم';
    const piece = constantFrom(' ', ...pieces.split(' '));
    const title = oneof(
      array(piece, { maxLength: 12 }).map((all) => all.join('')),
      anyString({ unit: 'binary', maxLength: 60 }),
    )
      .map(cleanTitle)
      .filter((text) => text !== '');
    assert(property(title, expectShown), { numRuns: 150 });
  });
});

function expectShown(title: string): void {
  // A spoiler is hidden on purpose.
  if (isSpoiler(title)) return;
  for (const shownIn of ['content', 'embed'] as const) {
    const text = listed(title, shownIn);
    const { letters, acting } = seen(`**1.** ${text}`, shownIn);
    expect(letters).toBe(`1. ${title}${text.startsWith('[') ? '' : ' · visit'}`);
    expect(acting.filter((part) => !drawnEmoji(part))).toMatchObject([ours]);
  }
  const content = messageOf(title);
  expect(readArticleMessage({ content })).toMatchObject({ title, link: address });
  const [first = '', ...rest] = content.split('\n');
  const head = rest[0]?.startsWith('https') ? `${first}\n${rest[0]}` : first;
  const { letters, acting } = seen(head, 'content');
  expect(letters.split('\n')[0]).toBe(`${title} · news.example`);
  expect(acting.filter((part) => !drawnEmoji(part))).toMatchObject([ours]);
}

test('a host with signs that Discord takes for its own is shown letter for letter beside a title, and alone', () => {
  const article = { title: 'A page', link: 'https://my_old_*site*_~~x~~.example/a' };
  const host = 'my_old_*site*_~~x~~.example';
  const written = [besideTitle(article), ` · ${hostName(article)}`, ` · ${hostOf(article)}`];
  for (const text of written) {
    const { letters, acting } = seen(`A page${text}`, 'embed');
    expect([letters, acting]).toEqual([`A page · ${host}`, []]);
  }
});
