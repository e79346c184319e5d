import { describe, expect, test } from 'vitest';
import {
  articleItems,
  factsLine,
  type ItemContext,
} from '../../../src/articles/lists/article-item.ts';
import { pageButtons } from '../../../src/articles/lists/article-page.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';
import { titleOfLink } from '../../../src/text/clean.ts';
import { HOUR_MS } from '../../../src/runtime/clock.ts';

const now = Date.UTC(2026, 10, 21, 12);
const article: Article = {
  id: '444',
  title: 'Hexagonal Grids',
  link: 'https://www.redblobgames.com/grids/hexagons/',
  poster: '111',
  channel: '222',
  home: '222',
  groups: ['222', '333'],
  postedAtMs: now - 16 * HOUR_MS,
  closesAtMs: now + 1,
  up: 200,
  down: 6,
  score: 0,
  interesting: true,
  locked: false,
  closed: false,
  listed: true,
};
const context: ItemContext = {
  guild: '1',
  locale: 'en-US',
  now,
  ages: { at: now },
  replies: new Map([['444', 12]]),
  unnamed: new Set(),
};
const facts = (more: Partial<ItemContext> = {}, other: Partial<Article> = {}) =>
  factsLine({ ...article, ...other }, { ...context, ...more });

describe('an article in a list', () => {
  test('an article in a list names its poster, and its comments are the one way to its message', () => {
    const other = { ...article, id: '666', up: 1, down: 2, interesting: false };
    expect(articleItems([article, other], context)).toEqual([
      '**1.** [Hexagonal Grids](https://www.redblobgames.com/grids/hexagons/) · redblobgames.com ★\n-# ▲ 194 · <@111> · <#222> · 16h ago · [12\u00a0💬](https://discord.com/channels/1/222/444)',
      '**2.** [Hexagonal Grids](https://www.redblobgames.com/grids/hexagons/) · redblobgames.com\n-# ▼ 1 · <@111> · <#222> · 16h ago · [vote](https://discord.com/channels/1/222/666)',
    ]);
  });

  test('an article in a list without comments asks for a vote while voting is open, and to read it then', () => {
    const way = (other: Partial<Article>, at = now) =>
      facts({ replies: new Map(), now: at }, other).split(' · ').at(-1);
    expect(way({})).toBe('[vote](https://discord.com/channels/1/222/444)');
    expect(way({}, now + 1)).toMatch(/^\[read\]/);
    expect(way({ closed: true })).toMatch(/^\[read\]/);
    expect(way({ locked: true })).toMatch(/^\[read\]/);
  });

  test('an article in a list does not name the group of the list, but another home', () => {
    expect(facts({ group: '222' })).toMatch(/^-# ▲ 194 · <@111> · 16h ago · \[12\u00a0💬\]/);
    expect(facts({ group: '333' })).toMatch(/^-# ▲ 194 · <@111> · <#222> · 16h ago · /);
  });

  test('an article in a list has an age that Discord keeps right in a lasting message, and none where it says nothing', () => {
    expect(facts({ ages: 'lasting' })).toContain(
      `<#222> · <t:${(now - 16 * HOUR_MS) / 1000}:R> · `,
    );
    expect(facts({ ages: 'none' })).toMatch(/<#222> · \[12\u00a0💬\]/);
  });

  test('an article in a list does not name a poster who opted out', () => {
    expect(facts({ unnamed: new Set(['111']) })).toMatch(/^-# ▲ 194 · <#222> · /);
  });

  test.each([
    ['picture', 'https://a.example/cat.png'],
    ['video', 'https://a.example/cat.mp4'],
  ])(
    'an article in a list that is a %s without a title is named after its poster, unless they opted out',
    (kind, link) => {
      const one = { ...article, link, title: titleOfLink(link) };
      const [named = ''] = articleItems([one], context);
      const [title, below] = named.split('\n');
      expect(title?.toLowerCase()).toContain(kind);
      expect([title, below]).toEqual([
        expect.stringContaining('<@111>'),
        expect.not.stringContaining('<@111>'),
      ]);
      const [hidden = ''] = articleItems([one], { ...context, unnamed: new Set(['111']) });
      expect(hidden.toLowerCase()).toContain(kind);
      expect(hidden).not.toContain('111');
    },
  );

  test('a list whose articles do not fit, however short they are shown, leaves the last ones out', () => {
    const all = ['1', '2', '3'].map((id) => ({ ...article, id }));
    const shortest = articleItems(all, context, { length: 400 });
    const length = shortest.join('\n').length;
    expect(articleItems(all, context, { length })).toHaveLength(shortest.length);
    const fewer = articleItems(all, context, { length: length - 1 });
    expect(fewer).toEqual(shortest.slice(0, -1));
  });

  test('an article in a list in a message’s content has a word for its link, since an emoji would unmask it', () => {
    expect(facts({ shownIn: 'content' })).toMatch(/ · 12\u00a0💬 · \[vote\]\(https:[^)]+\/444\)$/);
  });

  test('an article in a list whose title leads to its message already has no second link', () => {
    const long = { link: `https://a.example/${'x'.repeat(4000)}` };
    const [item = ''] = articleItems([{ ...article, ...long }], context);
    expect(item).toMatch(
      /^\*\*1\.\*\* \[Hexagonal Grids\]\(https:\/\/discord\.com\/channels\/1\/222\/444\)/,
    );
    expect(item).toMatch(/ · 12\u00a0💬$/);
  });

  test.each([
    ['de', 'vor 16 Std.'],
    ['es-ES', 'hace 16 h'],
    ['fr', 'il y a 16\u00a0h'],
    ['ja', '16時間前'],
    ['pt-BR', 'há 16 h'],
    ['zh-CN', '16小时前'],
  ])('an article in a list says its age in %s in a few letters', (locale, age) => {
    expect(facts({ locale })).toContain(` · ${age} · `);
  });
});

const idOf = (turn: string, target: number) => `${turn} ${target}`;

test.each([
  [1, 3, [1, 2], [false, true]],
  [2, 3, [1, 3], [true, true]],
  [3, 3, [2, 4], [true, false]],
  // A list can have become shorter.
  [9, 3, [3, 10], [true, false]],
])(
  'the buttons of page %i of %i lead to the pages %j, where there are any: %j',
  (page, last, to, usable) => {
    const { components } = pageButtons('en', { page, idOf }, last);
    expect(components).toMatchObject([
      { custom_id: `previous ${to[0]}`, disabled: !usable[0] },
      { custom_id: `next ${to[1]}`, disabled: !usable[1] },
    ]);
  },
);
