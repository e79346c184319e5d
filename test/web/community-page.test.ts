import { get } from 'node:http';
import { HtmlValidate } from 'html-validate/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { setUnnamed } from '../../src/community/unnamed.ts';
import { type Edition, writeEdition } from '../../src/editions/stored-editions.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { feedSecret, writeWebSettings, type WebSettings } from '../../src/web/web-settings.ts';
import { jsonFeedFaults } from './json-feed-rules.ts';
import { AI, ICON, POSTER, RUST, SECRET, type WebServer, startWebServer } from './web-server.ts';
import { setListed } from '../ranking/test-ranking.ts';

let server: WebServer;
let pictured: WebServer;
beforeAll(async () => {
  [server, pictured] = await Promise.all([
    startWebServer({ publicAddress: 'https://front.example' }),
    startWebServer({ pictures: true }),
  ]);
});
afterAll(() => Promise.all([server.stop(), pictured.stop()]));

async function openGuild(settings: Partial<WebSettings> = {}, on = server): Promise<string> {
  const guild = on.newGuild();
  await writeWebSettings(on.store, guild, { open: true, ...settings });
  return guild;
}

async function read(path: string, on = server): Promise<string> {
  const response = await on.get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** Reads once what was told before is known. */
async function fresh(guild: string, path: string): Promise<string> {
  server.ranking.changes.note(guild);
  await server.ranking.changes.flush();
  return read(path);
}

const html = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: {
    'void-style': 'off',
    'no-trailing-whitespace': 'off',
    'long-title': 'off',
    'no-raw-characters': 'off',
    'tel-non-breaking': 'off',
  },
});

async function expectValid(page: string): Promise<void> {
  const { results } = await html.validateString(page);
  const faults = results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line}: ${ruleId}: ${message}`),
  );
  expect(faults).toEqual([]);
}

async function up(guild: string, article: string, members: number, on = server): Promise<void> {
  for (let n = 1; n <= members; n += 1) {
    const ballot = { guild, article, member: String(n), vote: 'up' as const };
    await setVote(on.ranking, ballot, on.clock.now());
  }
}

describe('the address without a path', () => {
  test('the address without a path says what it is, and names no guild', async () => {
    await openGuild();
    const page = await read('/');
    expect(page).toContain('Front pages of Discord communities');
    expect(page).not.toContain('Harbour');
    await expectValid(page);
  });
});

/** The length of the answer's body as it is sent. */
async function bytesOnTheWire(path: string): Promise<number> {
  const headers = { 'accept-encoding': 'gzip' };
  return new Promise((resolve, reject) => {
    get(server.web.address + path, { headers }, async (response) => {
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      resolve(bytes);
    }).on('error', reject);
  });
}

describe('a community’s page', () => {
  test('a community’s page has the best of the day on top, with what Discord found about it', async () => {
    const guild = await openGuild();
    const best = await server.post(guild, { title: 'Best of the day' });
    await server.post(guild, { title: 'Newer', postedAtMs: server.clock.now() - 60_000 });
    await up(guild, best, 3);
    const description = 'A <b>guide</b>.';
    const copy = 'https://images-ext-1.discordapp.net/external/x';
    await writePreview(server.ranking, guild, best, {
      description,
      picture: 'https://a.example/p',
      copy,
    });
    const page = await fresh(guild, `/g/${guild}`);
    const [lead = ''] = /<article class="lead[\s\S]*?<\/article>/.exec(page) ?? [];
    expect(lead).toContain('Best of the day');
    expect(lead).toContain('A &lt;b&gt;guide&lt;/b&gt;.');
    expect(page.match(/Best of the day/g)).toHaveLength(1);
    // Without the host's word no picture is loaded.
    expect(page).not.toContain('<img');
    await expectValid(page);
  });

  test('a community’s page shows nothing of a spoiler before somebody opens it, also where it is the best', async () => {
    const guild = await openGuild({}, pictured);
    const best = await pictured.post(guild, { title: '||The butler||' });
    await up(guild, best, 3, pictured);
    const copy = 'https://images-ext-1.discordapp.net/external/x';
    const preview = { description: 'He did it.', picture: 'https://a.example/p', copy };
    await writePreview(pictured.ranking, guild, best, preview);
    const page = await (await pictured.get(`/g/${guild}`)).text();
    expect(page).not.toMatch(/butler|He did it|images-ext-1/);
  });

  test('a community’s page does not call an older article today’s best on a day without votes', async () => {
    const guild = await openGuild();
    const old = server.clock.now() - 3 * DAY_MS;
    const best = await server.post(guild, { title: 'Of long ago', postedAtMs: old });
    await up(guild, best, 3);
    const page = await fresh(guild, `/g/${guild}`);
    const [lead = ''] = /<article class="lead[\s\S]*?<\/article>/.exec(page) ?? [];
    expect(lead).toContain('Of long ago');
    expect(lead).toContain('Top right now');
    expect(page).not.toContain('Today’s best');
  });

  test('a community’s page shows pictures from Discord’s copies alone, where the host wants pictures', async () => {
    const guild = await openGuild({}, pictured);
    const best = await pictured.post(guild);
    await up(guild, best, 3, pictured);
    const show = async (copy: string) => {
      const preview = { picture: 'https://elsewhere.example/p.png', copy };
      await writePreview(pictured.ranking, guild, best, preview);
      pictured.ranking.changes.note(guild);
      await pictured.ranking.changes.flush();
      return pictured.get(`/g/${guild}`);
    };
    const response = await show('https://images-ext-1.discordapp.net/external/x');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("img-src 'self' https://images-ext-1.discordapp.net");
    const page = await response.text();
    expect(page).toContain('src="https://images-ext-1.discordapp.net/external/x"');
    expect(page).not.toContain('elsewhere.example');
    await expectValid(page);
    const other = await show('https://elsewhere.example/copy.png');
    expect(await other.text()).not.toContain('elsewhere.example');
  });

  test('a community’s page has the guild’s icon, its sentence and a way to join, and words where there is none', async () => {
    const guild = await openGuild({ about: 'Makers & <night> owls.' });
    server.communities.get(guild)!.icon = ICON;
    await server.post(guild);
    const page = await read(`/g/${guild}`);
    expect(page).toContain('Makers &amp; &lt;night&gt; owls.');
    expect(page).toContain(
      `property="og:image" content="https://front.example/g/${guild}/icon/${ICON}.png"`,
    );
    expect(page).toContain('ask a member for an invite');
    await expectValid(page);
    const icon = await server.get(`/g/${guild}/icon/${ICON}.png`);
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await server.get(`/g/${guild}/icon/${'b'.repeat(32)}.png`)).status).toBe(404);
    await writeWebSettings(server.store, guild, { invite: 'https://discord.gg/abc' });
    await expect
      .poll(() => fresh(guild, `/g/${guild}`))
      .not.toContain('ask a member for an invite');
  });

  test('a community’s page names who posted only where the guild wants it and the member has not refused', async () => {
    const guild = await openGuild();
    const id = '200000000000000007';
    await server.post(guild, { comment: 'Read ||the end|| twice, <@200000000000000009>!' });
    await server.post(guild, { poster: id, comment: 'Mine.' });
    const page = () => fresh(guild, `/g/${guild}`);
    const shows = (what: RegExp) => expect.poll(page).toMatch(what);
    const hides = (what: RegExp) => expect.poll(page).not.toMatch(what);
    await hides(/Ada|Read |Mine/);
    await writeWebSettings(server.store, guild, { names: true });
    await shows(/Ada/);
    const named = await page();
    expect(named).toContain('<cite><bdi>Ada &amp; &lt;friends&gt;</bdi></cite>');
    expect(named).toContain('Read … twice, …!');
    // Who has left has no name, and what they said is not shown.
    expect(named).not.toContain('Mine.');
    await expectValid(named);
    await setUnnamed(server.store, guild, POSTER, true);
    await hides(/Ada|twice/);
    await setUnnamed(server.store, guild, POSTER, false);
    await shows(/Ada/);
    await setOptedOut(server.store, guild, POSTER, true);
    await hides(/Ada|twice/);
  });

  test('a community’s page is small: a full first page has less than 30 kB', async () => {
    const guild = await openGuild({ names: true, about: 'A sentence.' });
    await feedSecret(server.store, guild);
    for (let n = 0; n < 25; n += 1) {
      await server.post(guild, { title: `A title of a usual length, such as people write, ${n}` });
    }
    const page = await read(`/g/${guild}`);
    const [, style = ''] = /href="(\/style-[^"]+)"/.exec(page) ?? [];
    const bytes = Buffer.byteLength(page) + Buffer.byteLength(await read(style));
    expect(bytes).toBeLessThan(30_000);
  });

  test('a community’s page comes compressed to those who can read that, and as it is to others', async () => {
    const guild = await openGuild({ names: true });
    for (let n = 0; n < 25; n += 1) await server.post(guild, { comment: `What I think: ${n}.` });
    const path = `/g/${guild}`;
    const plain = await server.get(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const refused = await server.get(path, { 'accept-encoding': 'br, gzip;q=0' });
    expect(refused.headers.get('content-encoding')).toBeNull();
    const packed = await server.get(path, { 'accept-encoding': 'gzip, br' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toBe('accept-language, accept-encoding');
    expect(await bytesOnTheWire(path)).toBeLessThan(6000);
    expect(await packed.text()).toBe(await plain.text());
    // Each form has a tag of its own.
    expect(packed.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    const tag = { 'if-none-match': packed.headers.get('etag') ?? '', 'accept-encoding': 'gzip' };
    expect((await server.get(path, tag)).status).toBe(304);
  });
});

describe('the archive', () => {
  test.each(['day', 'week', 'month'])(
    'the archive of a %s has its articles, best first',
    async (kind) => {
      const guild = await openGuild();
      const at = Date.UTC(2027, 2, 3, 12);
      await server.post(guild, { title: 'First', postedAtMs: at });
      const best = await server.post(guild, { title: 'Voted', postedAtMs: at - 60_000 });
      await server.post(guild, { title: 'Hidden', postedAtMs: at - 120_000, home: SECRET });
      await server.post(guild, { title: 'Long before', postedAtMs: at - 40 * DAY_MS });
      await setVote(server.ranking, { guild, article: best, member: '1', vote: 'up' }, at);
      const text = { day: '2027-03-03', week: '2027-03-01', month: '2027-03' }[kind]!;
      const page = await fresh(guild, `/g/${guild}/${kind}/${text}`);
      expect(page.indexOf('Voted')).toBeLessThan(page.indexOf('First'));
      expect(page).toContain('First');
      expect(page).not.toMatch(/Hidden|Long before/);
      expect(page).toContain('rel="prev"');
      await expectValid(page);
    },
  );

  test.each([
    'day/2027-02-30',
    'week/2027-03-02',
    'month/2027-3',
    'day/2999-01-01',
    'day/2014-12-31',
    'year/2027',
    'day/0',
  ])('the archive has no %s', async (path) => {
    const guild = await openGuild();
    expect((await server.get(`/g/${guild}/${path}`)).status).toBe(404);
  });
});

describe('an edition’s page', () => {
  const name = '日报-1';
  const date = '2027-03-09';

  async function withEdition(more: Partial<Edition> = {}) {
    const guild = await openGuild();
    const [first, second, third] = [
      await server.post(guild, { title: 'Lead story' }),
      await server.post(guild, { title: 'Second story', home: AI }),
      await server.post(guild, { title: 'Third story' }),
    ] as [string, string, string];
    await writeEdition(
      server.store,
      guild,
      { name, date },
      {
        articles: [first, second, third].map((id, at) => ({ id, net: 30 - at, replies: at })),
        rising: [],
        firstPosts: [],
        discussed: [],
        postedAtMs: server.clock.now(),
        fromMs: server.clock.now() - DAY_MS,
        channel: RUST,
        message: first,
        isPublic: true,
        ...more,
      },
    );
    const path = `/g/${guild}/digest/${encodeURIComponent(name)}/${date}`;
    return { guild, first, second, third, path };
  }

  test('an edition’s page holds what was posted then, less what was removed, erased or hidden since', async () => {
    const { guild, first, third, path } = await withEdition();
    const page = await read(path);
    expect(page).toMatch(/Lead story[\s\S]*Second story[\s\S]*Third story/);
    expect(page).toContain('▲ 30');
    await expectValid(page);
    const loses = (title: string) => expect.poll(() => fresh(guild, path)).not.toContain(title);
    await removeArticle(server.ranking, guild, first, server.clock.now());
    await loses('Lead story');
    await setListed(server.ranking, { guild, home: AI, listed: false });
    await loses('Second story');
    await deleteArticle(server.ranking, guild, third);
    await loses('Third story');
  });

  test('an edition’s page is listed with the others, and is an item of a feed in two formats', async () => {
    const { guild, path } = await withEdition();
    const list = await read(`/g/${guild}/digest`);
    expect(list).toContain(`href="${path}"`);
    await expectValid(list);
    const secret = await feedSecret(server.store, guild);
    server.ranking.changes.note(guild);
    await server.ranking.changes.flush();
    const feed = `/feeds/${guild}/${secret}/digest`;
    expect(await read(feed)).toContain(`https://front.example${path}`);
    const json = await read(`${feed}?format=json`);
    expect(jsonFeedFaults(json)).toEqual([]);
    expect(JSON.parse(json)['items'][0].url).toBe(`https://front.example${path}`);
    expect(JSON.parse(json)['items'][0].content_html).toContain('Lead story');
    expect((await server.get(`${feed}/unknown`)).status).toBe(404);
    expect(await read(path)).toContain(`href="${feed}"`);
  });

  test('an edition’s page is listed on a second page when there are hundreds', async () => {
    const { guild } = await withEdition();
    for (let n = 0; n < 120; n += 1) {
      const posted = new Date(Date.UTC(2020, 0, 1 + n));
      const of = { name: 'old', date: posted.toISOString().slice(0, 10) };
      await writeEdition(server.store, guild, of, {
        articles: [],
        rising: [],
        firstPosts: [],
        discussed: [],
        postedAtMs: posted.getTime(),
        fromMs: 0,
        channel: RUST,
        message: null,
        isPublic: true,
      });
    }
    const first = await fresh(guild, `/g/${guild}/digest`);
    expect(first).toContain(`href="/g/${guild}/digest?page=2" rel="next"`);
    expect(first).not.toContain('/old/2020-01-01');
    await expectValid(first);
    const second = await read(`/g/${guild}/digest?page=2&lang=de`);
    expect(second).toContain(`href="/g/${guild}/digest?lang=de" rel="prev"`);
    expect(second).toContain('/old/2020-01-01?lang=de');
    expect(second).not.toContain('rel="next"');
    await expectValid(second);
    for (const page of ['0', '101', 'x']) {
      expect((await server.get(`/g/${guild}/digest?page=${page}`)).status).toBe(404);
    }
  });

  test('an edition’s page is an item that leads to Discord where the guild’s page is closed', async () => {
    const { guild, first } = await withEdition();
    const secret = await feedSecret(server.store, guild);
    await writeWebSettings(server.store, guild, { open: false });
    const feed = `/feeds/${guild}/${secret}/digest?format=json`;
    const message = `https://discord.com/channels/${guild}/${RUST}/${first}`;
    await expect
      .poll(async () => JSON.parse(await fresh(guild, feed))['items'][0].url)
      .toBe(message);
  });

  test('an edition’s page has its first article on top, and says days instead of ages', async () => {
    const { guild, first, path } = await withEdition();
    await writePreview(server.ranking, guild, first, { description: 'What it is about.' });
    const page = await fresh(guild, path);
    const [lead = ''] = /<article class="lead[\s\S]*?<\/article>/.exec(page) ?? [];
    expect(lead).toMatch(/Lead story[\s\S]*What it is about\./);
    expect(page).toContain('<ol class="articles" start="2">');
    expect(page).not.toContain('ago</time>');
  });

  test.each([
    ['a channel that was hidden when it was posted', { isPublic: false }],
    ['a channel that is hidden now', { channel: SECRET }],
    ['a channel that is gone', { channel: '300000000000000404' }],
  ])('an edition’s page is nowhere if it was posted in %s', async (_, more) => {
    const { guild, path } = await withEdition(more);
    expect((await server.get(path)).status).toBe(404);
    expect(await read(`/g/${guild}/digest`)).not.toContain(date);
    const secret = await feedSecret(server.store, guild);
    expect(await fresh(guild, `/feeds/${guild}/${secret}/digest`)).not.toContain('story');
  });
});

describe('a JSON feed', () => {
  test.each(['', '/AI', '?order=interesting'])(
    'a JSON feed of %s is valid, and has the list’s articles',
    async (list) => {
      const guild = await openGuild();
      await server.post(guild, { title: '<b>A & B</b> "quoted" 中文', home: AI });
      const secret = await feedSecret(server.store, guild);
      const query = list.startsWith('?')
        ? `${list}&format=json`
        : `${list.replace('AI', AI)}?format=json`;
      const response = await server.get(`/feeds/${guild}/${secret}${query}`);
      expect(response.headers.get('content-type')).toContain('application/feed+json');
      const text = await response.text();
      expect(jsonFeedFaults(text)).toEqual([]);
      const { items, feed_url } = JSON.parse(text) as {
        items: { title: string }[];
        feed_url: string;
      };
      expect(feed_url).toContain('format=json');
      const titles = list.startsWith('?') ? [] : ['<b>A & B</b> "quoted" 中文'];
      expect(items.map(({ title }) => title)).toEqual(titles);
    },
  );
});
