import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { writeReplies } from '../../src/ranking/articles/discussions.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { startBrowser } from './browser.ts';
import { everyAddress } from './every-address.ts';
import { atomFaults, type Element, parseXml } from './feed-rules.ts';
import { jsonFeedFaults } from './json-feed-rules.ts';
import { AI, POSTER, RUST, SECRET, type WebServer, startWebServer } from './web-server.ts';
import { within } from '../fixtures/own-time.ts';

let server: WebServer;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  [server, browser] = await Promise.all([
    startWebServer({ publicAddress: 'https://front.example' }),
    startBrowser(),
  ]);
  page = await browser.newPage();
});
afterAll(() => Promise.all([server.stop(), browser.close()]));

/** A new guild whose page is open. */
async function openGuild(): Promise<string> {
  const guild = server.newGuild();
  await writeWebSettings(server.store, guild, { open: true });
  return guild;
}

function pathTo(guild: string, list = ''): string {
  return `/feeds/${guild}${list}`;
}

async function read(guild: string, list?: string): Promise<string> {
  const response = await server.get(pathTo(guild, list));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('application/atom+xml');
  return response.text();
}

/** What the format's rules find at fault. */
async function faultsOf(text: string): Promise<string[]> {
  return atomFaults(await parseXml(page, text));
}

/** The titles as a reader shows them. */
async function titles(text: string): Promise<string[]> {
  const find = (element: Element, name: RegExp): Element[] =>
    element.children.flatMap((it) => [...(name.test(it.name) ? [it] : []), ...find(it, name)]);
  const found = find(await parseXml(page, text), /(^|\})entry$/)
    .flatMap((it) => find(it, /(^|\})title$/))
    .map((it) => it.text);
  // They are HTML.
  return page.evaluate(
    (all) =>
      all.map((it) => {
        const { DOMParser } = globalThis as unknown as { DOMParser: new () => any };
        return new DOMParser().parseFromString(it, 'text/html').body.textContent as string;
      }),
    found,
  );
}

const nasty = '<b>A & B</b> &amp; ]]> and ]]> "quoted" 中文 😀 \u0007\ud800';

describe('a feed', () => {
  test('a feed keeps the rules of its format, and each title is as it was posted', async () => {
    const guild = await openGuild();
    await server.post(guild, { title: nasty, link: 'https://a.example/?q=1&r=%3Cx%3E#f' });
    const text = await read(guild);
    expect(await faultsOf(text)).toEqual([]);
    const shown = (await titles(text)).find((title) => title.includes('quoted'));
    // XML has no control characters.
    expect(shown).toMatch(/^<b>A & B<\/b> &amp; \]\]> and \]\]> "quoted" 中文 😀 /);
  });

  test('an empty feed keeps them too, one in Chinese, and says which list is empty', async () => {
    const guild = await openGuild();
    server.communities.get(guild)!.locale = 'zh-CN';
    const text = await read(guild);
    expect(await faultsOf(text)).toEqual([]);
    expect(text).toContain('“最佳”里还没有内容');
    const rest = ['/front', '/search?q=nothing', '/digest'].map((of) => {
      const path = `/feeds/${guild}${of}${of.includes('?') ? '&' : '?'}format=json`;
      return fetch(server.web.address + path).then((response) => response.json());
    });
    const texts = ((await Promise.all(rest)) as { description: string }[]).map(({ description }) =>
      description.slice(0, 10),
    );
    expect(texts).toEqual(['“头版”里还没有内容', '没有标题包含“not', '还没有发布过所有人都']);
  });

  test('a removed article leaves at once', async () => {
    const guild = await openGuild();
    const id = await server.post(guild, { title: 'going' });
    await expect.poll(() => read(guild)).toContain('going');
    await deleteArticle(server.ranking, guild, id);
    await server.ranking.changes.flush();
    // A page is kept for longer where nobody tells of changes.
    const leaves = async () => {
      await expect.poll(() => read(guild)).not.toContain('going');
    };
    await within(10_000, leaves());
  });

  test('it is not sent again to who has it while nothing changes', async () => {
    const guild = await openGuild();
    await server.post(guild);
    const path = pathTo(guild);
    const headers = { 'if-none-match': (await server.get(path)).headers.get('etag')! };
    expect((await server.get(path, headers)).status).toBe(304);
    await server.post(guild);
    await expect.poll(async () => (await server.get(path, headers)).status).toBe(200);
  });

  test('a vote and a comment change the text of an item, and nothing by which it is new', async () => {
    const guild = await openGuild();
    const article = await server.post(guild);
    await expect.poll(() => read(guild)).toContain('<p>▲ 1 · #rust');
    const before = await read(guild);
    expect(before).not.toContain('comment');
    const now = server.clock.now();
    await setVote(server.ranking, { guild, article, member: '7', vote: 'up' }, now);
    await writeReplies(server.ranking, guild, article, 12);
    await expect
      .poll(() => read(guild))
      .toBe(before.replace('▲ 1 ·', '▲ 2 ·').replace('Open in Discord', '12 comments'));
    for (const member of ['7', '8'])
      await setVote(server.ranking, { guild, article, member, vote: 'down' }, now);
    await expect.poll(() => read(guild)).toContain('<p>▼ 1 · #rust · ');
    expect(await faultsOf(await read(guild))).toEqual([]);
  });
});

test('there is a feed for each order and each public group', async () => {
  const guild = await openGuild();
  await server.post(guild, { title: 'in rust' });
  await server.post(guild, { title: 'in ai', home: AI });
  await server.post(guild, { title: 'kept back', home: SECRET });
  for (const order of ['front', 'score', 'time', 'votes', 'interesting']) {
    const text = await read(guild, `?order=${order}`);
    expect(text.includes('in rust')).toBe(order !== 'interesting');
    expect(text).not.toContain('kept back');
  }
  expect(await titles(await read(guild, `/${AI}`))).toEqual(['in ai · news.example']);
  expect((await server.get(pathTo(guild, `/${SECRET}`))).status).toBe(404);
});

test('every feed keeps the rules of its format whatever a title holds, has a name of its own, and the host beside each title', async () => {
  const guild = await openGuild();
  await writeWebSettings(server.store, guild, { names: true });
  const community = server.communities.get(guild)!;
  Object.assign(community, { name: 'A ]]> & \u202e <b>\ufffe\ud800', locale: 'de' });
  const odd = [
    '\ufffe',
    '\ud800 l',
    '\u202egnp.exe',
    ']]>',
    '\u2028',
    '&amp;lt;l',
    '\u0085\u0000',
    'l',
  ];
  const ids: string[] = [];
  for (const [n, title] of odd.entries()) {
    const link = `https://h${n % 2}.example/${n}?a=1&b=]]>`;
    const id = await server.post(guild, { title, link, comment: `${title} said` });
    await writePreview(server.ranking, guild, id, { description: `${title} found` });
    ids.push(id);
  }
  const edition = { name: 'a]]>&', date: '2027-03-09' };
  await writeEdition(server.store, guild, edition, {
    articles: ids.map((id) => ({ id, net: 1, replies: 0 })),
    rising: ids,
    postedAtMs: server.clock.now(),
    fromMs: 0,
    channel: RUST,
    isPublic: true,
  });
  const addresses = everyAddress({
    guild,
    channels: [RUST, AI],
    articles: [],
    members: [POSTER],
    site: 'h1.example',
    words: 'l',
    date: '2027-03-10',
    edition: { ...edition, name: encodeURIComponent(edition.name) },
    secret: null,
  });
  await server.told(guild);
  const names = new Map<string, string>();
  for (const path of Object.values(addresses).flat()) {
    if (!path.startsWith('/feeds/') || path.includes('order=score')) continue;
    const text = await (await server.get(path)).text();
    expect({ path, odd: /[\u202a-\u202e\ufffe\ud800\u0085]/.test(text) }).toEqual({
      path,
      odd: false,
    });
    if (path.includes('format=json')) {
      expectJsonFeed(path, text);
      continue;
    }
    const feed = await parseXml(page, text);
    expect([path, atomFaults(feed)]).toEqual([path, []]);
    expect(feed.attributes['xml:lang']).toBe('de');
    const name = feed.children.find((child) => child.name.endsWith('}id'))!.text;
    expect([path, names.get(name)]).toEqual([path, undefined]);
    names.set(name, path);
  }
  expect(names.size).toBeGreaterThan(8);
});

function expectJsonFeed(path: string, text: string): void {
  expect([path, jsonFeedFaults(text)]).toEqual([path, []]);
  const feed = JSON.parse(text) as { language: string; items: { title: string }[] };
  expect(feed.language).toBe('de');
  for (const { title } of feed.items) expect(title).toMatch(/h\d\.example/);
}

describe('a feed of editions', () => {
  test('a feed of editions has whole days, one by hand among them', async () => {
    const guild = await openGuild();
    const ids: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      ids.push(await server.post(guild, { title: `${n} ${'字'.repeat(250)}` }));
    }
    const dates = ['2027-03-07', '2027-03-08', '2027-03-09T06:00Z', '2027-03-09'];
    for (const [at, date] of dates.entries()) {
      await writeEdition(
        server.store,
        guild,
        { name: 'daily', date },
        {
          articles: ids.map((id) => ({ id, net: 3, replies: 0 })),
          postedAtMs: Date.UTC(2027, 2, 1 + at),
          fromMs: 0,
          channel: RUST,
          isPublic: true,
        },
      );
    }
    const { items } = JSON.parse(
      await (await server.get(pathTo(guild, '/digest?format=json'))).text(),
    );
    const shown = items.map(
      ({ url }: { url: string }) => decodeURIComponent(url).split('/daily/')[1],
    );
    expect(shown).toEqual(['2027-03-09', '2027-03-09T06:00Z']);
  });

  test('a feed of editions says what the day came to, and hides what a spoiler is about', async () => {
    const guild = await openGuild();
    const spoiler = { title: '||Who did it||', link: 'https://plot.example/end' };
    const ids = [await server.post(guild, spoiler), await server.post(guild, { title: 'Open' })];
    const articles = ids.map((id) => ({ id, net: 3, replies: 0 }));
    const day = { articles: 7, posters: 3, votes: 12 };
    const posted = { postedAtMs: server.clock.now(), fromMs: 0, channel: RUST, isPublic: true };
    const write = (date: string, shown: typeof articles) =>
      writeEdition(
        server.store,
        guild,
        { name: 'daily', date },
        { articles: shown, day, ...posted },
      );
    await write('2027-03-09', articles);
    await write('2027-03-08', articles.slice(0, 1));
    const text = await read(guild, '/digest');
    expect(text).toContain('7 articles by 3 members · 12 votes');
    expect(text).toContain('Open');
    expect(text).not.toMatch(/Who did it|plot\.example/);
    const list = await read(guild, '?order=time');
    expect(list).toContain('Open · news.example');
    expect(list).not.toMatch(/Who did it|plot\.example/);
    // One of which nothing is left is called by its day alone, or is not there.
    await deleteArticle(server.ranking, guild, ids[0]!);
    await server.told(guild);
    const later = await read(guild, '/digest');
    expect(later).toContain('Open');
    expect(later).not.toContain('null');
  });

  test('a feed of one digest’s editions is named by the rhythm of the newest', async () => {
    const guild = await openGuild();
    const id = await server.post(guild);
    const write = (date: string, days: { from: string; to: string } | null) =>
      writeEdition(
        server.store,
        guild,
        { name: 'daily', date },
        {
          articles: [{ id, net: 3, replies: 0 }],
          postedAtMs: Date.parse(date),
          fromMs: 0,
          days,
          channel: RUST,
          isPublic: true,
        },
      );
    await write('2027-03-01', null);
    const title = async () => {
      await server.told(guild);
      const answer = await server.get(pathTo(guild, '/digest/daily?format=json'));
      return (JSON.parse(await answer.text()) as { title: string }).title.split(' · ')[1];
    };
    expect(await title()).toBe('Daily digest');
    await write('2027-03-08', { from: '2027-03-02', to: '2027-03-08' });
    await expect.poll(title).toBe('Weekly digest');
  });
});

describe('an address', () => {
  test('an address is good for guilds with a page, and for lists that exist', async () => {
    const guild = await openGuild();
    const path = pathTo(guild);
    expect((await server.get(path)).status).toBe(200);
    const forged = [
      path.replace(guild, server.newGuild()),
      path.slice(0, -1),
      `${path}x`,
      `${path}/${AI}?order=front`,
      `${path}?order=best`,
      `${path}/${SECRET}`,
    ];
    for (const wrong of forged)
      expect([wrong, (await server.get(wrong)).status]).toEqual([wrong, 404]);
  });

  test('an address is closed with the page, or without it, and stands on the page while it is open', async () => {
    const guild = await openGuild();
    const path = pathTo(guild);
    const link = `<link rel="alternate" type="application/atom+xml" title="Atom" href="${path}">`;
    const changed = async (change: Parameters<typeof writeWebSettings>[2]) => {
      await writeWebSettings(server.store, guild, change);
      await server.told(guild);
    };
    const page = async () => (await server.get(`/g/${guild}`)).text();
    await expect.poll(page).toContain(link);
    expect(await page()).toContain(`title="Front page" href="${path}/front">`);
    await changed({ feeds: false });
    await expect.poll(async () => (await server.get(path)).status).toBe(404);
    expect((await server.get(`${path}/digest`)).status).toBe(404);
    expect(await page()).not.toContain('/feeds/');
    await changed({ feeds: true });
    await expect.poll(async () => (await server.get(path)).status).toBe(200);
    await changed({ open: false });
    await expect.poll(async () => (await server.get(path)).status).toBe(404);
    expect((await server.get(`${path}/digest`)).status).toBe(404);
  });
});
