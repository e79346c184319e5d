import { describe, expect, test } from 'vitest';
import {
  articleItems,
  factsLine,
  type ItemContext,
} from '../../../src/articles/lists/article-item.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';
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
  closesAtMs: now,
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
  ages: { at: now },
  replies: new Map([['444', 12]]),
  unnamed: new Set(),
};
const facts = (more: Partial<ItemContext> = {}, other: Partial<Article> = {}) =>
  factsLine({ ...article, ...other }, { ...context, ...more });

describe('an article in a list', () => {
  test('names its poster, and its votes and comments are the one way to its message', () => {
    const other = { ...article, id: '666', up: 1, down: 2, interesting: false };
    expect(articleItems([article, other], context)).toEqual([
      '**1.** [Hexagonal Grids](https://www.redblobgames.com/grids/hexagons/) · redblobgames.com ★\n-# [▲ 194 · 12 💬](https://discord.com/channels/1/222/444) · <@111> · 16h',
      '**2.** [Hexagonal Grids](https://www.redblobgames.com/grids/hexagons/) · redblobgames.com\n-# [▼ 1](https://discord.com/channels/1/222/666) · <@111> · <#222> · 16h',
    ]);
  });

  test('does not name the group of the list, but another home', () => {
    expect(facts({ group: '222' })).toMatch(/444\) · <@111> · 16h ago$/);
    expect(facts({ group: '333' })).toMatch(/444\) · <@111> · <#222> · 16h ago$/);
  });

  test('has an age that Discord keeps right in a lasting message, and none where it says nothing', () => {
    const time = `<t:${(now - 16 * HOUR_MS) / 1000}:R>`;
    expect(facts({ ages: 'lasting' }).endsWith(`<#222> · ${time}`)).toBe(true);
    expect(facts({ ages: 'none' })).toMatch(/<#222>$/);
  });

  test('does not name a poster who opted out', () => {
    expect(facts({ unnamed: new Set(['111']) })).toMatch(/444\) · <#222> · /);
  });

  test('in a message’s content has its comments beside the link, since an emoji would unmask it', () => {
    expect(facts({ shownIn: 'content' })).toMatch(/^-# \[▲ 194\]\(https:[^)]+\/444\) · 12 💬 · /);
  });

  test('whose title leads to its message already has no second link', () => {
    const long = { link: `https://a.example/${'x'.repeat(4000)}` };
    const [item = ''] = articleItems([{ ...article, ...long }], context);
    expect(item).toMatch(
      /^\*\*1\.\*\* \[Hexagonal Grids\]\(https:\/\/discord\.com\/channels\/1\/222\/444\)/,
    );
    expect(item).toMatch(/\n-# ▲ 194 · 12 💬 · <@111>/);
  });

  test.each([
    ['de', 'vor 16 Std.'],
    ['es-ES', 'hace 16 h'],
    ['fr', 'il y a 16\u00a0h'],
    ['ja', '16時間前'],
    ['pt-BR', 'há 16 h'],
    ['zh-CN', '16小时前'],
  ])('says its age in %s in a few letters', (locale, age) => {
    expect(facts({ locale })).toMatch(new RegExp(` · ${age}$`));
  });

  const long = { title: 'Learning Rust With Entirely Too Many Linked Lists', interesting: false };

  test('with a long title has it cut at a word, the whole where a pointer rests, and the site below', () => {
    const replies = new Map<string, number>();
    const [item] = articleItems([{ ...article, ...long }], { ...context, replies });
    expect(item).toBe(
      `**1.** [Learning Rust With Entirely Too…](https://www.redblobgames.com/grids/hexagons/ "${long.title}")\n-# [▲ 194](https://discord.com/channels/1/222/444) · redblobgames.com · <@111>`,
    );
  });

  test('with a long title has its comments beside it, where one line below is full', () => {
    const [item = ''] = articleItems([{ ...article, ...long }], context);
    expect(item).toContain(
      '") · [12 💬](https://discord.com/channels/1/222/444)\n-# ▲ 194 · redbl',
    );
  });

  test('with an emoji or a quotation in a long title shows nothing where a pointer rests', () => {
    const titled = (title: string) => articleItems([{ ...article, ...long, title }], context)[0];
    expect(titled(`${long.title} 🦀`)).toContain(
      '…](https://www.redblobgames.com/grids/hexagons/)',
    );
    expect(titled(`${long.title} "x"`)).toContain(
      '…](https://www.redblobgames.com/grids/hexagons/)',
    );
  });

  test('keeps the owner’s name of a long site', () => {
    const link = 'https://engineering.research.example-company.com/a';
    const [item = ''] = articleItems([{ ...article, ...long, link }], context);
    expect(item).toContain(' · …example-company.com · <@111>');
    const own = 'https://rust-unofficial-and-more.github.io/a';
    const [other = ''] = articleItems([{ ...article, ...long, link: own }], context);
    expect(other).toContain(' · rust-unofficial-and-more.github.io · <@111>');
  });

  test.each([
    ['de', '16 Std.'],
    ['es-ES', '16 h'],
    ['fr', '16\u202fh'],
    ['ja', '16時間前'],
    ['pt-BR', '16 h'],
    ['zh-CN', '16小时前'],
  ])('in %s has a bare age', (locale, age) => {
    const other = { ...article, title: 'GPS', link: 'https://a.example/' };
    const [item = ''] = articleItems([other], { ...context, locale, group: '222' });
    expect(item.replaceAll('\u00a0', ' ')).toMatch(new RegExp(` · ${age}$`, 'm'));
  });
});
