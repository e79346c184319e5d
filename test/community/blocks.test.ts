import { describe, expect, test } from 'vitest';
import { siteSubject, subjectKey, wordsSubject } from '../../src/community/block-subject.ts';
import { subjectsText } from '../../src/community/block-texts.ts';
import {
  type Block,
  type BlockScope,
  blockScopes,
  BLOCK_SCOPES,
  scopeOf,
  siteBlock,
  united,
  zBlock,
} from '../../src/community/blocks.ts';
import { memberSubject } from '../../src/community/block-subject.ts';
import { refusalError, refusalOf, titleOf } from '../../src/community/may-stand.ts';

const by = '200000000000000001';

function block(more: Partial<Block> = {}): Block {
  return { subject: memberSubject('300000000000000001'), ...zBlock.parse({ by }), ...more };
}

const stored = (...all: Block[]) => new Map(all.map((one) => [subjectKey(one.subject), one]));

describe('a site that is blocked', () => {
  test.each([
    ['https://www.Example.com/Some/', 'example.com/some'],
    ['reddit.com/user/Somebody', 'reddit.com/u/somebody'],
    ['old.reddit.com/u/somebody', 'reddit.com/u/somebody'],
    ['example.com/user/somebody', 'example.com/user/somebody'],
    ['somebody@example.com', null],
    ['https://somebody:secret@example.com/', null],
    ['https://:secret@example.com/', null],
    ['two words.example', null],
    ['localhost', null],
    ['', null],
    [`example.com/${'%E4%BD%A0'.repeat(260)}`, null],
  ])('the site that is typed as %j is stored as %j', (typed, site) => {
    expect(siteSubject(typed)?.site ?? null).toBe(site);
  });

  test.each(['user', 'u'])(
    'a member of Reddit who is blocked by /%s/ is blocked by both of their paths',
    (path) => {
      const blocks = stored(block({ subject: siteSubject(`reddit.com/${path}/Somebody`)! }));
      const isBlocked = (href: string) => siteBlock(blocks, { href }, 0) !== null;
      expect(isBlocked('https://reddit.com/user/somebody/comments/1')).toBe(true);
      expect(isBlocked('https://reddit.com/u/somebody')).toBe(true);
      expect(isBlocked('https://reddit.com/u/somebody-else')).toBe(false);
      expect(isBlocked('https://reddit.com/r/somebody')).toBe(false);
    },
  );
});

test.each<[string, Block]>([
  ['member', block({ untilMs: 5 })],
  ['site', block({ untilMs: 5, subject: siteSubject('bad.example')! })],
  ['phrase', block({ untilMs: 5, subject: wordsSubject('free nitro')! })],
])('a block of a %s holds until it ends, and no longer', (_, one) => {
  const wanted = {
    poster: '300000000000000001',
    link: { href: 'https://bad.example/1' },
    texts: ['Free Nitro'],
  };
  expect(refusalOf(stored(one), wanted, 4)).toEqual(one);
  expect(refusalOf(stored(one), wanted, 5)).toBeNull();
});

test('a block of voting alone lets its member post', () => {
  const wanted = { poster: '300000000000000001' };
  expect(refusalOf(stored(block({ posting: false, voting: true })), wanted, 0)).toBeNull();
  expect(refusalOf(stored(block()), wanted, 0)).not.toBeNull();
});

test('a link with too many addresses to judge is refused with a sentence of its own', () => {
  expect(refusalError('tangled').key).toBe('post.refused.malformed');
});

test('where the title that was found and the address have a blocked word, the host alone is the title', () => {
  const blocks = stored(block({ subject: wordsSubject('scam')! }));
  const title = (href: string, found: string, given = '') =>
    titleOf(blocks, href, { given, found }, 0);
  expect(title('https://example.com/scam', 'A scam')).toBe('example.com');
  expect(title('https://example.com/page', 'A scam')).toBe('example.com/page');
  expect(title('https://example.com/scam', 'A page')).toBe('A page');
  expect(title('https://example.com/scam', 'A page', 'As its poster says')).toBe(
    'As its poster says',
  );
});

test('a block on top of one that holds blocks what either does until the later end, and of one that ended nothing is left', () => {
  const earlier = block({ posting: true, voting: false, reason: 'Spam', untilMs: 90 });
  const later = block({ posting: false, voting: true, sinceMs: 50, untilMs: 70 });
  const both = { posting: true, voting: true, reason: 'Spam', untilMs: 90 };
  expect(united(earlier, later)).toMatchObject(both);
  expect(
    united(block({ ...later, untilMs: 90 }), { ...earlier, sinceMs: 50, untilMs: 70 }),
  ).toMatchObject(both);
  expect(united(earlier, { ...later, reason: 'Again' })).toMatchObject({ reason: 'Again' });
  expect(united(earlier, { ...later, untilMs: null })).toMatchObject({ untilMs: null });
  expect(united({ ...earlier, untilMs: null }, later)).toMatchObject({ untilMs: null });
  expect(united({ ...earlier, untilMs: 50 }, later)).toEqual(later);
  expect(united(null, later)).toEqual(later);
});

test.each(blockScopes)('a block from %s is said to be that', (scope: BlockScope) => {
  expect(scopeOf(BLOCK_SCOPES[scope])).toBe(scope);
});

test('of many sites as many are named as a line has room for, and how many more there are', () => {
  const sites = Array.from(
    { length: 40 },
    (_, at) => siteSubject(`${'a'.repeat(50)}${at}.example`)!,
  );
  expect(subjectsText(sites.slice(0, 2))).toBe(
    sites
      .slice(0, 2)
      .map(({ site }) => `\`${site}\``)
      .join(', '),
  );
  const text = subjectsText(sites);
  const named = text.split(', ').length;
  expect(text.length).toBeLessThan(1010);
  expect(named).toBeGreaterThan(10);
  expect(text).toMatch(new RegExp(` \\+${40 - named}$`));
});
