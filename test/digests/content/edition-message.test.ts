import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Article } from '../../../src/ranking/articles/articles.ts';
import type { ItemContext } from '../../../src/articles/lists/article-item.ts';
import { type Listed, listedNow } from '../../../src/articles/lists/article-facts.ts';
import { bySection } from '../../../src/editions/stored-editions.ts';
import {
  type EditionMessage,
  editionMessage,
} from '../../../src/digests/content/edition-message.ts';
import { plainText } from '../../../src/text/clean.ts';
import { zDigest } from '../../../src/digests/digest-settings.ts';

const noon = Date.UTC(2026, 10, 21, 12);
const guild = '1100000000000000003';
const group = '1100000000000000002';
const digest = zDigest.parse({
  channel: '9',
  schedule: { every: 'day', time: '12:00', zone: 'Europe/Berlin' },
});

function article(title: string, at = 0): Article {
  const postedAtMs = noon - at * 60_000;
  return {
    id: `${1_200_000_000_000_000_000n + BigInt(at)}`,
    title,
    link: `https://www.example.com/${at}`,
    poster: '1100000000000000001',
    channel: group,
    home: group,
    groups: [group],
    postedAtMs,
    closesAtMs: postedAtMs + 7 * 86_400_000,
    up: 12,
    down: 3,
    score: 0,
    interesting: at === 0,
    locked: false,
    closed: false,
    listed: true,
  };
}

const items: ItemContext = {
  guild,
  locale: 'en-US',
  now: noon,
  ages: 'none',
  replies: new Map(),
  unnamed: new Set(),
};

/** As an edition shows it. */
function shown(one: Article, more: Partial<Listed> = {}): Listed {
  return { ...listedNow(one, { replies: new Map() }), ...more };
}

function message(titles: string[], more: Partial<EditionMessage> = {}): EditionMessage {
  return {
    guild,
    name: 'daily',
    digest,
    locale: 'en-US',
    period: { fromMs: noon - 86_400_000, untilMs: noon },
    date: '2026-11-21',
    articles: titles.map((title, at) => shown(article(title, at))),
    preview: {},
    isLarge: true,
    pictures: new Map(),
    sections: bySection(() => []),
    items,
    day: { articles: 12, posters: 7, votes: 146 },
    ways: { post: '</post:5>', list: '</top:6>', page: 'https://front.example/g/1' },
    ...more,
  };
}

const dayLine =
  '-# 12 articles by 7 members · 146 votes · post yours with </post:5> · [this edition on the web](https://front.example/g/1)';
/** Below the finder, who is not named twice. */
const bestFacts = (id: string) => facts(id).replace(' · <@1100000000000000001>', '');
const facts = (id: string) =>
  `-# ▲ 9 · <@1100000000000000001> · <#${group}> · [vote](https://discord.com/channels/${guild}/${group}/${id})`;

/** What stands below the heading. */
function opening(title: string): string | undefined {
  return editionMessage(message([title])).content?.split('\n')[1];
}

describe('a digest', () => {
  test('a digest says what is best in a notification, and shows it with its picture', () => {
    const preview = { description: 'All about *hexagons*.', picture: 'https://example.com/a.png' };
    const { content, embeds } = editionMessage(message(['First', 'Second', 'Third'], { preview }));
    // The window is in the digest's own zone.
    expect(content?.split('\n')).toEqual([
      '## Daily digest · Saturday, November 21',
      'First and 2 more',
    ]);
    const [best, others] = embeds ?? [];
    expect(best?.footer).toBeUndefined();
    expect(others?.footer?.text).toBe('Daily digest · since Friday 13:00');
    expect(best).toMatchObject({
      title: 'First',
      url: 'https://www.example.com/0',
      description: `example.com ★\nAll about \\*hexagons\\*.\nfound by <@1100000000000000001>\n${bestFacts('1200000000000000000')}`,
      image: { url: 'https://example.com/a.png' },
    });
    expect(others?.description).toBe(
      [
        '**2.** [Second](https://www.example.com/1) · example.com',
        facts('1200000000000000001'),
        '**3.** [Third](https://www.example.com/2) · example.com',
        facts('1200000000000000002'),
        '',
        dayLine,
      ].join('\n'),
    );
  });

  test('a digest of a day with one article is that article alone', () => {
    const { content, embeds } = editionMessage(message(['Only']));
    expect(content).toBe('## Daily digest · Saturday, November 21\nOnly');
    expect(embeds).toHaveLength(1);
    expect(embeds?.[0]?.description?.split('\n').at(-1)).toBe(dayLine);
    expect(embeds?.[0]?.footer?.text).toBe('Daily digest · since Friday 13:00');
  });

  test('a digest of a day without a vote is one sentence, which says how to post', () => {
    const { content, embeds } = editionMessage(message([]));
    expect(content?.split('\n')[1]).toBe(
      'Quiet so far: nobody has voted for anything new yet. Post something with </post:5>.',
    );
    expect(embeds).toEqual([]);
  });

  test('a digest quotes what the poster of the best said, in one escaped line, and leaves out who opted out', () => {
    const poster = '1100000000000000001';
    const said = { ...article('First'), comment: 'The *best* thing\nabout <@1> maps.' };
    const lines = (more: Partial<EditionMessage> = {}) =>
      editionMessage(message([], more)).embeds?.[0]?.description?.split('\n');
    expect(lines({ articles: [shown(said)] })?.[1]).toBe(
      `> The \\*best\\* thing about \\<@1\\> maps. — <@${poster}>`,
    );
    const unnamed = [shown(said, { isNamed: false })];
    expect(lines({ articles: unnamed })?.[1]).toBe('> The \\*best\\* thing about \\<@1\\> maps.');
    const spoiler = { ...said, title: '||First||' };
    expect(lines({ articles: [shown(spoiler)] })?.join('\n')).not.toContain('thing');
    const articles = [shown(article('First'), { isNamed: false })];
    const plain = editionMessage(message([], { articles })).embeds?.[0]?.description;
    expect(plain).not.toContain(poster);
  });

  test('a digest leads to the list where there is no page on the web', () => {
    const ways = { post: '/post', list: '</top:6>', page: null };
    const { embeds } = editionMessage(message(['Only'], { ways }));
    expect(embeds?.[0]?.description).toMatch(
      / · post yours with \/post · the front page: <\/top:6>$/,
    );
  });

  test('a digest that is silent makes no notification', () => {
    expect(editionMessage(message(['Only']))).not.toHaveProperty('flags');
    const silent = { ...digest, silent: true };
    expect(editionMessage(message(['Only'], { digest: silent })).flags).toBe(4096);
    expect(editionMessage(message([], { digest: silent })).flags).toBe(4096);
  });

  test('a digest shows no picture of an article that not everybody may see', () => {
    const hidden = { ...article('Hidden'), listed: false };
    const preview = { picture: 'https://example.com/a.png' };
    const articles = [shown(hidden)];
    const { embeds } = editionMessage(message([], { articles, preview }));
    expect(embeds?.[0]?.image).toBeUndefined();
    const open = editionMessage(message(['Open'], { preview })).embeds?.[0];
    expect(open?.image).toEqual({ url: 'https://example.com/a.png' });
  });

  test('a digest whose best is a spoiler shows nothing of its page before a member opens it', () => {
    const preview = { picture: 'https://example.com/a.png', description: 'How it ends' };
    const [best] = editionMessage(message(['||It was him||'], { preview })).embeds ?? [];
    expect(best).not.toHaveProperty('image');
    expect(best?.description).not.toContain('How it ends');
    const [open] = editionMessage(message(['It was him'], { preview })).embeds ?? [];
    expect(open).toMatchObject({ image: { url: preview.picture } });
    expect(open?.description).toContain('How it ends');
  });

  test('a digest whose best has an address too long for a title leads to its message', () => {
    const link = `https://example.com/${'x'.repeat(2029)}`;
    const urlOf = (of: string) =>
      editionMessage(message([], { articles: [shown({ ...article('Long'), link: of })] }))
        .embeds?.[0]?.url;
    const id = article('Long').id;
    expect(urlOf(link)).toBe(`https://discord.com/channels/${guild}/${group}/${id}`);
    expect(urlOf(link.slice(0, 2048))).toBe(link.slice(0, 2048));
  });

  test('a digest shows the picture small beside the text where the best has not earned the full width', () => {
    const preview = { picture: 'https://example.com/a.png' };
    const { embeds } = editionMessage(message(['Small'], { preview, isLarge: false }));
    expect(embeds?.[0]?.image).toBeUndefined();
    expect(embeds?.[0]?.thumbnail).toEqual({ url: 'https://example.com/a.png' });
  });

  test('a digest ends with what is still rising, first posts, the most discussed and the best of the week', () => {
    const discussed = article('Why [not] this', 8);
    const older = { ...article('Older', 5), up: 62, down: 1 };
    // Discord shows the community's own emoji.
    const signs = { up: '<:yes:1300000000000000001>', down: '👎', isDownOffered: false };
    const more = {
      sections: {
        rising: [shown(older, { gained: 53 })],
        firstPosts: [shown({ ...article('Hello', 7), signs })],
        discussed: [shown(discussed, { replies: 12 })],
        week: [shown({ ...article('Best of all', 9), up: 90, interesting: true })],
      },
    };
    const { embeds } = editionMessage(message(['First'], more));
    expect(embeds?.[1]?.description).toBe(
      [
        '**Still rising**',
        '[Older](https://www.example.com/5) · example.com',
        `-# ▲ 61 (+53) · <@1100000000000000001> · <#${group}> · [vote](https://discord.com/channels/${guild}/${group}/1200000000000000005)`,
        '',
        '**First posts**',
        `<@1100000000000000001>: [Hello](https://www.example.com/7) · example.com · <:yes:1300000000000000001> 9 · [vote](https://discord.com/channels/${guild}/${group}/1200000000000000007)`,
        '',
        '**Most discussed**',
        `Why \\[not\\] this · [visit](https://www.example.com/8) · example.com · ▲ 9 · [12\u00a0💬](https://discord.com/channels/${guild}/${group}/1200000000000000008)`,
        '',
        '**Best of the week**',
        `[Best of all](https://www.example.com/9) · example.com ★ · ▲ 87 · [vote](https://discord.com/channels/${guild}/${group}/1200000000000000009)`,
        '',
        dayLine,
      ].join('\n'),
    );
  });

  test('a digest is in the language of the digest', () => {
    const { content, embeds } = editionMessage(
      message(['First', 'Second'], { locale: 'zh-CN', name: 'science' }),
    );
    expect(content).toBe('## Science · 11月21日星期六\nFirst 以及另外 1 篇');
    expect(embeds?.at(-1)?.footer?.text).toBe('Science · 自星期五 13:00 起');
  });

  test('a digest out of turn has the time in its headline', () => {
    const { content } = editionMessage(message(['First'], { date: '2026-11-21T12:50Z' }));
    expect(content).toMatch(/^## Daily digest · Saturday, November 21(,| at) 12:50\n/);
  });

  test('a digest of a week that is posted by hand has its time in its headline, and not the one that is due', () => {
    const schedule = { every: 'week', weekdays: [7], time: '12:03', zone: 'UTC' } as const;
    const weekly = zDigest.parse({ channel: '9', schedule });
    const untilMs = Date.UTC(2026, 11, 20, 12, 3);
    const period = { fromMs: untilMs - 7 * 86_400_000, untilMs };
    const headline = (date: string) =>
      editionMessage(message(['First'], { digest: weekly, period, date })).content?.split('\n')[0];
    expect(headline('2026-12-20T15:20Z')).toBe('## Weekly digest · December 14 to 20 · 15:20');
    expect(headline('2026-12-20')).toBe('## Weekly digest · December 14 to 20');
  });

  test.each([
    ['en-US', 'Weekly digest · December 14 to 20'],
    ['de', 'Auslese der Woche · 14. bis 20. Dezember'],
    ['fr', 'Revue de la semaine · du 14 au 20 décembre'],
    ['es-ES', 'Resumen semanal · del 14 al 20 de diciembre'],
    ['pt-BR', 'Resumo semanal · de 14 a 20 de dezembro'],
    ['ja', 'ウィークリーダイジェスト · 12月14日～20日'],
    ['zh-CN', '每周精选 · 12月14日至20日'],
  ])('a digest of a week is named in %s as a person says it', (locale, said) => {
    const weekly = zDigest.parse({
      channel: '9',
      schedule: { every: 'week', weekdays: [7], time: '12:03', zone: 'UTC' },
    });
    const untilMs = Date.UTC(2026, 11, 20, 12, 3);
    const period = { fromMs: untilMs - 7 * 86_400_000, untilMs };
    // A manager can have made it from a daily one.
    for (const name of ['weekly', 'daily']) {
      const of = { locale, name, digest: weekly, period, date: '2026-12-20' };
      const { content, embeds } = editionMessage(message(['First'], of));
      expect(content?.split('\n')[0]).toBe(`## ${said}`);
      expect(embeds?.at(-1)?.footer?.text).toBe(said);
    }
  });

  test('a digest of a day is named by its rhythm, whatever its name was for', () => {
    const of = { name: 'weekly' };
    const { content, embeds } = editionMessage(message(['First'], of));
    expect(content?.split('\n')[0]).toBe('## Daily digest · Saturday, November 21');
    expect(embeds?.at(-1)?.footer?.text).toBe('Daily digest · since Friday 13:00');
  });

  test('a digest of one site and one channel says both once, below its list', () => {
    const same = { ...items, group, host: 'example.com' };
    const { embeds } = editionMessage(message(['First', 'Second'], { items: same }));
    const lines = embeds?.[1]?.description?.split('\n') ?? [];
    expect(lines[0]).toBe('**2.** [Second](https://www.example.com/1)');
    expect(lines[1]).not.toContain('<#');
    expect(lines.at(-1)).toMatch(
      new RegExp(`^-# all from example.com · all in <#${group}> · 12 articles`),
    );
  });

  test('a digest of pictures names each by its kind and poster, with its picture small beside it', () => {
    const picture = (at: number) => {
      const link = `https://cdn.example.com/${at}/photo.jpg`;
      return { ...article(`cdn.example.com/${at}/photo.jpg`, at), link };
    };
    const all = [picture(0), picture(1), article('A page', 2)];
    const articles = all.map((one) => shown(one));
    const pictures = new Map([[all[1]!.id, 'https://cdn.example.com/1/photo.jpg']]);
    const { content, embeds = [] } = editionMessage(message([], { articles, pictures }));
    expect(content?.split('\n')[1]).toBe('A picture and 2 more');
    const [best, second, page] = embeds ?? [];
    expect([best?.title, best?.description?.split('\n')[0]]).toEqual([
      'A picture',
      'cdn.example.com ★',
    ]);
    expect(second?.thumbnail).toEqual({ url: 'https://cdn.example.com/1/photo.jpg' });
    expect(second?.description).toMatch(
      /^\*\*2\.\*\* \[A picture\]\(.*\) by <@1100000000000000001> · cdn\.example\.com\n-# ▲ 9 · <#/,
    );
    expect(page?.description).toMatch(/^\*\*3\.\*\* \[A page\]/);
  });

  test('a digest of many pictures shows those of the best and of the next four, in their order', () => {
    const all = Array.from({ length: 9 }, (_, at) => article(`${at}`, at));
    const pictures = new Map(all.map(({ id }, at) => [id, `https://cdn.example.com/${at}.png`]));
    const articles = all.map((one) => shown(one));
    const { embeds = [] } = editionMessage(message([], { articles, pictures }));
    const shownSmall = (embeds ?? []).map(({ thumbnail }) => thumbnail?.url);
    const small = [1, 2, 3, 4].map((at) => `https://cdn.example.com/${at}.png`);
    expect(shownSmall).toEqual([undefined, ...small, undefined]);
    expect(embeds?.at(-1)?.description).toMatch(/^\*\*6\.\*\* .*\n.*\n\*\*7\.\*\* /);
  });

  test('a digest whose best has its site for a title has the ★ beside it, and no line for the ★ alone', () => {
    const named = { ...article('example.com'), link: 'https://example.com/' };
    const [best] = editionMessage(message([], { articles: [shown(named)] })).embeds ?? [];
    expect(best?.title).toBe('example.com ★');
    expect(best?.description?.split('\n')).not.toContain('★');
  });

  test('a digest of a day on which nothing was posted does not count it', () => {
    const { embeds } = editionMessage(message(['First'], { day: null }));
    expect(embeds?.[0]?.description?.split('\n').at(-1)).toMatch(/^-# post yours with /);
  });

  test('a digest pings nobody but the role that was chosen', () => {
    const titles = Array.from({ length: 25 }, () => '@everyone <@1> <@&2> '.repeat(12));
    const loud = { ...digest, role: '7' };
    const body = editionMessage(message(titles, { digest: loud }));
    expect(body.allowed_mentions).toEqual({ parse: [], roles: ['7'] });
    expect(body.content).toMatch(/^## .*\n<@&7> /);
    expect(editionMessage(message(titles)).allowed_mentions).toEqual({ parse: [], roles: [] });
  });

  test('a digest begins no heading, quote or list with a title', () => {
    expect(opening('# Big')).toBe('\\# Big');
    expect(opening('-# small')).toBe('\\-# small');
    expect(opening('1. One')).toBe('1\\. One');
  });

  test('a digest of twenty-five usual articles leaves none out', () => {
    const titles = Array.from({ length: 25 }, (_, at) => `A title of the usual length: ${at}`);
    const { content, embeds } = editionMessage(message(titles));
    expect(content).toContain('and 24 more');
    expect(embeds?.map(({ description }) => description).join('\n')).toContain('**25.** ');
  });

  test('a digest keeps within Discord’s limits, whatever the titles and links', () => {
    const anything = fc.record({
      title: fc.string({ unit: 'binary', minLength: 1, maxLength: 256 }),
      path: fc.integer({ min: 0, max: 2000 }),
    });
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 25 }), (all) => {
        const articles = all.map(({ title, path }, at) => {
          const link = `https://example.com/${'x'.repeat(path)}`;
          return shown({ ...article(title, at), link }, { gained: 9 });
        });
        const sections = bySection(() => articles.slice(0, 3));
        const { content, embeds = [] } = editionMessage(message([], { articles, sections }));
        let size = 0;
        for (const { title = '', description = '', url = '', footer } of embeds ?? []) {
          expect(title.length).toBeLessThanOrEqual(256);
          expect(description.length).toBeLessThanOrEqual(4096);
          expect(url.length).toBeLessThanOrEqual(2048);
          size += title.length + description.length + (footer?.text.length ?? 0);
        }
        expect(content?.length).toBeLessThanOrEqual(2000);
        expect(size).toBeLessThanOrEqual(6000);
        expect(embeds?.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a title in the text', () => {
  test.each([
    ['[free](https://evil.example)', '\\[free\\](https\\://evil.example)'],
    ['<https://evil.example>', '\\<https\\://evil.example\\>'],
    [
      '**bold** _it_ ~~no~~ ||spoiler|| `code`',
      '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~ \\|\\|spoiler\\|\\| \\`code\\`',
    ],
    ['@everyone and @here', '\\@everyone and \\@here'],
    ['<@1> <#2> <t:0:R>', '\\<@1\\> \\<#2\\> \\<t\\:0:R\\>'],
    ['two\nlines\u202e and \u200bmore', 'two lines and more'],
    ['back\\slash', 'back\\\\slash'],
    ['C++ (2026): what is new?', 'C++ (2026): what is new?'],
  ])('the title %j is shown letter for letter in the text of a digest', (title, expected) => {
    expect(plainText(title, 80)).toBe(expected);
  });
});
