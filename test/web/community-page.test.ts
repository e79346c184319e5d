import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { writeBlock } from '../../src/community/blocks.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { setUnnamed } from '../../src/community/unnamed.ts';
import { type Edition, writeEdition } from '../../src/editions/stored-editions.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { WEB_PAGE_SIZE } from '../../src/web/pages/list-view.ts';
import { writeWebSettings, type WebSettings } from '../../src/web/web-settings.ts';
import { jsonFeedFaults } from './json-feed-rules.ts';
import { expectValid } from './expect-valid.ts';
import {
  AI,
  ICON,
  NAMES,
  POSTER,
  RUST,
  SECRET,
  type WebServer,
  startWebServer,
} from './web-server.ts';
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
  await server.told(guild);
  return read(path);
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
    await server.post(guild, { title: 'Other', postedAtMs: server.clock.now() - 7_200_000 });
    await up(guild, best, 3);
    const description = 'A <b>guide</b>.';
    const copy = 'https://images-ext-1.discordapp.net/external/x';
    await writePreview(server.ranking, guild, best, {
      description,
      picture: 'https://a.example/p',
      copy,
    });
    const page = await fresh(guild, `/g/${guild}`);
    const [lead = ''] = /<li class="lead[\s\S]*?<\/li>/.exec(page) ?? [];
    expect(lead).toContain('Best of the day');
    expect(lead).toContain('A &lt;b&gt;guide&lt;/b&gt;.');
    expect(page.match(/Best of the day/g)).toHaveLength(1);
    // A channel's page has the best of that channel.
    const there = await server.post(guild, { title: 'Best of another channel', home: AI });
    await up(guild, there, 2);
    const [its = ''] =
      /<li class="lead[\s\S]*?<\/li>/.exec(await fresh(guild, `/g/${guild}/${AI}`)) ?? [];
    expect(its).toContain('Best of another channel');
    expect(its).toContain('Today’s best');
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
    const [lead = ''] = /<li class="lead[\s\S]*?<\/li>/.exec(page) ?? [];
    expect(lead).toContain('Of long ago');
    expect(lead).toContain('Top right now');
    expect(page).not.toContain('Today’s best');
  });

  test('a community’s page has an article on top on its first page alone, and an archive one that somebody voted for', async () => {
    const guild = await openGuild();
    const [best = ''] = await Promise.all(
      Array.from({ length: WEB_PAGE_SIZE + 1 }, () => server.post(guild)),
    );
    const hasLead = async (path: string) =>
      (await fresh(guild, `/g/${guild}${path}`)).includes('class="lead');
    const each = () => Promise.all(['', '?page=2', '/year/2027'].map(hasLead));
    expect(await each()).toEqual([true, false, false]);
    expect(await read(`/g/${guild}`)).not.toContain('Today’s best');
    await up(guild, best, 1);
    expect(await each()).toEqual([true, false, true]);
    expect(await read(`/g/${guild}`)).toContain('Today’s best');
  });

  test('a community’s page shows pictures from Discord’s copies alone, where the host wants pictures', async () => {
    const guild = await openGuild({}, pictured);
    const best = await pictured.post(guild);
    await up(guild, best, 3, pictured);
    const show = async (copy: string) => {
      const preview = { picture: 'https://elsewhere.example/p.png', copy };
      await writePreview(pictured.ranking, guild, best, preview);
      await pictured.told(guild);
      return pictured.get(`/g/${guild}`);
    };
    const response = await show('https://images-ext-1.discordapp.net/external/x');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("img-src 'self' https://images-ext-1.discordapp.net");
    const page = await response.text();
    expect(page).toContain('src="https://images-ext-1.discordapp.net/external/x?format=webp&amp;');
    expect(page).not.toContain('elsewhere.example');
    await expectValid(page);
    const other = await show('https://elsewhere.example/copy.png');
    expect(await other.text()).not.toContain('elsewhere.example');
    // Nor from a host whose name begins as theirs.
    await show('https://images-ext-1.discordapp.net.evil.example/p.png');
    for (const path of [`/g/${guild}`, `/g/${guild}/article/${best}`])
      expect(await (await pictured.get(path)).text()).not.toContain('evil.example');
    // In an order without a lead, small.
    await show('https://images-ext-1.discordapp.net/external/x?v=1');
    const list = await (await pictured.get(`/g/${guild}?order=time`)).text();
    expect(list).toContain('<li class="pictured"><span class="rank"');
    expect(list).toContain(
      'src="https://images-ext-1.discordapp.net/external/x?v=1&amp;format=webp&amp;width=240&amp;height=160"',
    );
    // The first of an edition is what its address is shared with.
    const plain = await pictured.post(guild);
    const which = { name: 'daily', date: '2027-03-09' };
    await writeEdition(pictured.store, guild, which, {
      articles: [plain, best].map((id) => ({ id, net: 3, replies: 0 })),
      postedAtMs: pictured.clock.now(),
      fromMs: 0,
      channel: RUST,
      isPublic: true,
    });
    await pictured.told(guild);
    const edition = await (await pictured.get(`/g/${guild}/digest/daily/2027-03-09`)).text();
    expect(edition).toContain(
      '<meta property="og:image" content="https://images-ext-1.discordapp.net/external/x?v=1',
    );
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
    expect((await server.get(`/g/${guild}/icon/${ICON}.png`)).status).toBe(200);
    expect(server.discord.icons).toEqual([ICON]);
    await writeWebSettings(server.store, guild, { invite: 'https://discord.gg/abc' });
    await expect
      .poll(() => fresh(guild, `/g/${guild}`))
      .not.toContain('ask a member for an invite');
  });

  test('an icon that Discord does not give is asked for again ten minutes later, and not before', async () => {
    const guild = await openGuild();
    const hash = 'c'.repeat(32);
    server.communities.get(guild)!.icon = hash;
    const asked = async () => {
      const { status } = await server.get(`/g/${guild}/icon/${hash}.png`);
      return [status, server.discord.icons.filter((one) => one === hash).length];
    };
    expect([await asked(), await asked()]).toEqual([
      [404, 1],
      [404, 1],
    ]);
    server.clock.move(600_000);
    expect(await asked()).toEqual([404, 2]);
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

  test('a community’s page is small: a full first page has less than 40 kB', async () => {
    const guild = await openGuild({ names: true, about: 'A sentence.' });
    for (let n = 0; n < 25; n += 1) {
      await server.post(guild, { title: `A title of a usual length, such as people write, ${n}` });
    }
    const page = await read(`/g/${guild}`);
    const [, style = ''] = /href="(\/style-[^"]+)"/.exec(page) ?? [];
    const bytes = Buffer.byteLength(page) + Buffer.byteLength(await read(style));
    expect(bytes).toBeLessThan(40_000);
  });

  test('each kind of page and feed is small: what Discord found about 25 articles among it', async () => {
    const guild = await openGuild({ names: true, about: 'A sentence.' });
    const ids: string[] = [];
    const description =
      'What Discord found about a page, in as many words as most pages have. '.repeat(2);
    for (let n = 0; n < 25; n += 1) {
      const id = await server.post(guild, {
        title: `A title of a usual length, such as people write, ${n}`,
      });
      await writePreview(server.ranking, guild, id, {
        description,
        picture: 'https://a.example/p',
      });
      ids.push(id);
    }
    for (let n = 1; n <= 12; n += 1) {
      const date = `2027-03-${String(n).padStart(2, '0')}`;
      await writeEdition(
        server.store,
        guild,
        { name: 'daily', date },
        {
          articles: ids.slice(0, 10).map((id) => ({ id, net: 3, replies: 1 })),
          rising: ids.slice(10, 13),
          firstPosts: [],
          discussed: ids.slice(13, 16),
          postedAtMs: Date.UTC(2027, 2, n),
          fromMs: Date.UTC(2027, 2, n - 1),
          channel: RUST,
          message: ids[0]!,
          isPublic: true,
        },
      );
    }
    const month = new Date(server.clock.now() - 3_600_000).toISOString().slice(0, 7);
    const kinds = [
      `/g/${guild}`,
      `/g/${guild}/month/${month}`,
      `/g/${guild}/search?q=title`,
      `/g/${guild}/digest`,
      `/g/${guild}/digest/daily/2027-03-05`,
      `/feeds/${guild}`,
      `/feeds/${guild}/digest`,
    ];
    const sizes: [string, number][] = [];
    for (const path of kinds) sizes.push([path, Buffer.byteLength(await read(path))]);
    expect(sizes.filter(([, bytes]) => bytes > 40_000)).toEqual([]);
    expect(sizes.every(([, bytes]) => bytes > 1000)).toBe(true);
    // Also of a digest that shows as much as one can.
    for (let n = 1; n <= 7; n += 1) {
      const edition = { name: 'large', date: `2027-04-0${n}` };
      await writeEdition(server.store, guild, edition, {
        articles: ids.map((id) => ({ id, net: 3, replies: 1 })),
        postedAtMs: Date.UTC(2027, 3, n),
        fromMs: Date.UTC(2027, 3, n - 1),
        channel: RUST,
        isPublic: true,
      });
    }
    for (const path of [`/feeds/${guild}/digest`, `/feeds/${guild}/digest?format=json`]) {
      const feed = await fresh(guild, path);
      expect(Buffer.byteLength(feed)).toBeLessThan(40_000);
      expect(feed).toContain('2027-04-06');
      expect(feed).not.toContain('2027-04-01');
    }
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

test('the feed of all editions has whole days of a guild with many digests', async () => {
  const guild = await openGuild();
  const id = await server.post(guild, { title: 'Listed' });
  for (const day of [1, 2, 3]) {
    for (let n = 0; n < 8; n += 1) {
      const edition = { name: `digest-${n}`, date: `2027-03-0${day}` };
      await writeEdition(server.store, guild, edition, {
        articles: [{ id, net: 3, replies: 1 }],
        postedAtMs: Date.UTC(2027, 2, day),
        fromMs: Date.UTC(2027, 2, day - 1),
        channel: RUST,
        message: id,
        isPublic: true,
      });
    }
  }
  const feed = await read(`/feeds/${guild}/digest`);
  expect(feed.match(/<entry>/g)).toHaveLength(16);
  expect(feed).toContain('2027-03-02');
  expect(feed).not.toContain('2027-03-01T');
});

describe('the archive', () => {
  test.each(['day', 'week', 'month', 'year'])(
    'the archive of a %s has its articles, best first',
    async (kind) => {
      const guild = await openGuild();
      const at = Date.UTC(2027, 2, 3, 12);
      await server.post(guild, { title: 'First', postedAtMs: at });
      const best = await server.post(guild, { title: 'Voted', postedAtMs: at - 60_000 });
      await server.post(guild, { title: 'Hidden', postedAtMs: at - 120_000, home: SECRET });
      await server.post(guild, { title: 'Long before', postedAtMs: at - 70 * DAY_MS });
      await setVote(server.ranking, { guild, article: best, member: '1', vote: 'up' }, at);
      const text = { day: '2027-03-03', week: '2027-03-01', month: '2027-03', year: '2027' }[kind]!;
      const page = await fresh(guild, `/g/${guild}/${kind}/${text}`);
      expect(page.indexOf('Voted')).toBeLessThan(page.indexOf('First'));
      expect(page).toContain('First');
      expect(page).not.toMatch(/Hidden|Long before/);
      expect(page).toContain('rel="prev"');
      await expectValid(page);
    },
  );

  test('the archive begins with the year in which the server was made, before which nothing is offered', async () => {
    const guild = await openGuild();
    await server.post(guild);
    expect(await fresh(guild, `/g/${guild}/year/2027`)).toContain('/year/2026" rel="prev"');
    const first = await read(`/g/${guild}/year/2026`);
    expect(first).not.toContain('rel="prev"');
    // Nor does it lead to days to come.
    expect(first).toContain('/year/2027" rel="next"');
    expect(await read(`/g/${guild}/year/2027`)).not.toContain('rel="next"');
  });

  test('the archive’s days begin and end at the community’s midnight, on the page too', async () => {
    const guild = await openGuild();
    server.zones.set(guild, 'Asia/Tokyo');
    await server.post(guild, {
      title: 'Before midnight',
      postedAtMs: Date.UTC(2027, 2, 2, 14, 59),
    });
    await server.post(guild, { title: 'After midnight', postedAtMs: Date.UTC(2027, 2, 2, 15, 0) });
    const page = await fresh(guild, `/g/${guild}/day/2027-03-03`);
    expect(page).toContain('After midnight');
    expect(page).not.toContain('Before midnight');
    expect(page).toContain('Mar 3, 2027');
    expect(await fresh(guild, `/g/${guild}/day/2027-03-02`)).toContain('Before midnight');
  });

  test.each([
    'day/2027-02-30',
    'week/2027-03-02',
    'month/2027-3',
    'day/2999-01-01',
    'day/2014-12-31',
    'day/2020-12-31',
    'day/0020-01-01',
    'year/0000',
    'year/27',
    'decade/2027',
    'day/0',
  ])('the archive has no %s', async (path) => {
    const guild = await openGuild();
    expect((await server.get(`/g/${guild}/${path}`)).status).toBe(404);
  });
});

/** The channels in the row of a page. */
const inRow = (page: string) =>
  [...page.matchAll(/<bdi>#(c\d+)<\/bdi><\/a><\/li>/g)].map(([, named]) => named);

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

  test('an edition’s page leads to those before and after it of the same digest that everyone may read', async () => {
    const { guild, first, path } = await withEdition();
    const written = (of: string, on: string, atMs: number, channel = RUST) =>
      writeEdition(
        server.store,
        guild,
        { name: of, date: on },
        {
          articles: [{ id: first, net: 1, replies: 0 }],
          postedAtMs: server.clock.now() + atMs,
          fromMs: 0,
          channel,
          isPublic: true,
        },
      );
    await written(name, '2027-03-06', -3 * DAY_MS);
    await written(name, '2027-03-07', -2 * DAY_MS);
    await written(name, '2027-03-08', -DAY_MS, SECRET);
    await written('other', '2027-03-08', -DAY_MS / 2);
    await written('other', '2027-03-10', DAY_MS / 2);
    await written(name, '2027-03-11', DAY_MS);
    await written(name, '2027-03-12', 2 * DAY_MS);
    const page = await fresh(guild, path);
    const leadsTo = (rel: string) =>
      new RegExp(`href="/g/${guild}/digest/([^"]*)" rel="${rel}"`).exec(page)?.[1];
    expect([leadsTo('prev'), leadsTo('next')].map((to) => decodeURIComponent(to ?? ''))).toEqual([
      `${name}/2027-03-07`,
      `${name}/2027-03-11`,
    ]);
  });

  test('an edition’s page is listed with the others, and is an item of a feed in two formats', async () => {
    const { guild, path } = await withEdition();
    const list = await read(`/g/${guild}/digest`);
    expect(list).toContain(`href="${path}"`);
    await expectValid(list);
    await server.told(guild);
    const feed = `/feeds/${guild}/digest`;
    expect(await read(feed)).toContain(`https://front.example${path}`);
    const json = await read(`${feed}?format=json`);
    expect(jsonFeedFaults(json)).toEqual([]);
    expect(JSON.parse(json)['items'][0].url).toBe(`https://front.example${path}`);
    expect(JSON.parse(json)['items'][0].content_html).toContain('Lead story');
    expect((await server.get(`${feed}/unknown`)).status).toBe(404);
    expect(await read(path)).toContain(`href="${feed}"`);
  });

  test('an edition’s page is listed with the older ones when there are many, and those of one moment stay together', async () => {
    const { guild } = await withEdition();
    const days = Array.from({ length: 60 }, (_, n) => Date.UTC(2020, 0, 1 + n));
    for (const [of, channel] of [
      ['old', RUST],
      ['other', RUST],
      ['kept-back', SECRET],
    ] as const) {
      for (const postedAtMs of days) {
        const date = new Date(postedAtMs).toISOString().slice(0, 10);
        const none = { articles: [], rising: [], firstPosts: [], discussed: [] };
        const edition = { ...none, postedAtMs, fromMs: 0, channel, message: null, isPublic: true };
        await writeEdition(server.store, guild, { name: of, date }, edition);
      }
    }
    const seen: string[] = [];
    let path: string | undefined = `/g/${guild}/digest`;
    let pages = 0;
    while (path !== undefined) {
      const page = await fresh(guild, path);
      await expectValid(page);
      expect(page).not.toContain('kept-back');
      seen.push(...[...page.matchAll(/digest\/(o\w+\/[\d-]+)"/g)].map(([, of = '']) => of));
      path = /href="([^"]*)" rel="next"/.exec(page)?.[1];
      pages += 1;
    }
    expect(pages).toBeGreaterThan(4);
    expect(new Set(seen).size).toBe(120);
    expect(seen).toHaveLength(120);
    const german = await read(`/g/${guild}/digest?before=${days[3]}&lang=de`);
    expect(german).toContain(`href="/g/${guild}/digest?lang=de" rel="prev"`);
    for (const before of ['0', '-1', 'x']) {
      expect((await server.get(`/g/${guild}/digest?before=${before}`)).status).toBe(404);
    }
  });

  test('an edition’s page has its first article on top, and says days instead of ages', async () => {
    const { guild, first, path } = await withEdition();
    await writePreview(server.ranking, guild, first, { description: 'What it is about.' });
    const page = await fresh(guild, path);
    const [lead = ''] = /<li class="lead[\s\S]*?<\/li>/.exec(page) ?? [];
    expect(lead).toMatch(/Lead story[\s\S]*What it is about\./);
    expect(lead).toContain('>1</span>');
    expect(page).not.toContain('ago</time>');
  });

  test('an edition’s page is as loud as its message was: without a large picture, its first article is as the others', async () => {
    const { path } = await withEdition({ isLarge: false });
    const page = await read(path);
    expect(page).toContain('Lead story');
    expect(page).not.toContain('class="lead');
  });

  test('an edition’s page says the ★, the votes, the name and the words that were there then, and what the day came to', async () => {
    const guild = await openGuild({ names: true });
    const id = await server.post(guild, { title: 'Then', comment: 'My words.' });
    await up(guild, id, 30);
    const shown = { id, net: 4, replies: 2, gained: 3, isInteresting: true };
    const edition = async (isSaid: boolean) => {
      const date = isSaid ? '2027-03-08' : '2027-03-07';
      const others = { isInteresting: isSaid, isNamed: isSaid, isQuoted: isSaid };
      await writeEdition(
        server.store,
        guild,
        { name, date },
        {
          articles: [{ ...shown, ...others }],
          day: isSaid ? { articles: 12, posters: 7, votes: 146 } : null,
          postedAtMs: server.clock.now(),
          fromMs: server.clock.now() - DAY_MS,
          channel: RUST,
          isPublic: true,
        },
      );
      const page = await fresh(guild, `/g/${guild}/digest/${encodeURIComponent(name)}/${date}`);
      await expectValid(page);
      return /<ol class="articles">[^]*<nav class="pages"/.exec(page)?.[0];
    };
    const said = await edition(true);
    for (const part of [
      '▲ 4 (+3)',
      '★',
      'Ada &amp; &lt;friends&gt;',
      'My words.',
      '2 comments',
      '146 votes',
    ]) {
      expect(said).toContain(part);
    }
    const unsaid = await edition(false);
    expect(unsaid).toContain('▲ 4 (+3)');
    expect(unsaid).not.toMatch(/★|Ada|My words|146 votes/);
  });

  test.each([
    ['a channel that was hidden when it was posted', { isPublic: false }],
    ['a channel that is hidden now', { channel: SECRET }],
    ['a channel that is gone', { channel: '300000000000000404' }],
  ])('an edition’s page is nowhere if it was posted in %s', async (_, more) => {
    const { guild, path } = await withEdition(more);
    expect((await server.get(path)).status).toBe(404);
    expect(await read(`/g/${guild}/digest`)).not.toContain(date);
    expect(await fresh(guild, `/feeds/${guild}/digest`)).not.toContain('story');
    // Nothing tells whether there is such a digest.
    const [hidden, none] = await Promise.all(
      [name, 'none'].map((of) => server.get(`/feeds/${guild}/digest/${encodeURIComponent(of)}`)),
    );
    expect([hidden!.status, await hidden!.text()]).toEqual([404, await none!.text()]);
    expect(await read(`/g/${guild}`)).not.toContain(`/g/${guild}/digest`);
  });
});

describe('a JSON feed', () => {
  test.each(['', '/AI', '?order=interesting'])(
    'a JSON feed of %s is valid, and has the list’s articles',
    async (list) => {
      const guild = await openGuild();
      await server.post(guild, { title: '<b>A & B</b> "quoted" 中文', home: AI });
      const query = list.startsWith('?')
        ? `${list}&format=json`
        : `${list.replace('AI', AI)}?format=json`;
      const response = await server.get(`/feeds/${guild}${query}`);
      expect(response.headers.get('content-type')).toContain('application/feed+json');
      const text = await response.text();
      expect(jsonFeedFaults(text)).toEqual([]);
      const { items, feed_url } = JSON.parse(text) as {
        items: { title: string }[];
        feed_url: string;
      };
      expect(feed_url).toContain('format=json');
      const titles = list.startsWith('?') ? [] : ['<b>A & B</b> "quoted" 中文 · news.example'];
      expect(items.map(({ title }) => title)).toEqual(titles);
    },
  );
});

describe('what was posted of a site, by a member or with some words', () => {
  test('a site’s page has its links and no others, and each host leads to it', async () => {
    const guild = await openGuild();
    await server.post(guild, { title: 'Hexagons', link: 'https://www.red.example/hexagons' });
    await server.post(guild, { title: 'Curves', link: 'https://blog.red.example/curves' });
    await server.post(guild, { title: 'Elsewhere', link: 'https://notred.example/' });
    await server.post(guild, { title: '||The end||', link: 'https://red.example/end' });
    await server.post(guild, { title: 'Hidden', link: 'https://red.example/h', home: SECRET });
    const page = await fresh(guild, `/g/${guild}/site/red.example`);
    expect(page).toContain('2 links, ★ 0');
    expect(page).toMatch(/Hexagons|Curves/);
    expect(page).not.toMatch(/Elsewhere|Hidden|Spoiler|\/end/);
    await expectValid(page);
    expect(await read(`/g/${guild}`)).toContain(`href="/g/${guild}/site/red.example"`);
    for (const site of ['none.example', '%3Cb%3E', 'RED.example']) {
      expect((await server.get(`/g/${guild}/site/${site}`)).status).toBe(404);
    }
    const feed = await read(`/feeds/${guild}/site/red.example?format=json`);
    expect(jsonFeedFaults(feed)).toEqual([]);
    expect(JSON.parse(feed)).toMatchObject({ language: 'en-GB', items: { length: 2 } });
  });

  test('a site’s page counts all its links and stars, and shows the thirty newest', async () => {
    const guild = await openGuild();
    const ids: string[] = [];
    for (let n = 0; n < 33; n += 1) {
      const link = `https://many.example/${n}`;
      const postedAtMs = server.clock.now() - (n + 1) * 60_000;
      ids.push(await server.post(guild, { title: `Number ${n}.`, link, postedAtMs }));
    }
    await setScale(server.ranking, guild, { mark: 2 });
    for (const id of [ids[1]!, ids[32]!]) await up(guild, id, 2);
    const page = await fresh(guild, `/g/${guild}/site/many.example`);
    expect(page).toContain('33 links, ★ 2');
    expect(page).toContain('Number 29.');
    expect(page).not.toContain('Number 30.');
  });

  test('a member’s page is there where the guild names its members, until they do not want that', async () => {
    const guild = await openGuild({ names: true });
    await server.post(guild, { title: 'By Ada', comment: 'Read it twice.' });
    const path = `/g/${guild}/by/${POSTER}`;
    const page = await fresh(guild, path);
    expect(page).toContain('Ada &amp; &lt;friends&gt;');
    expect(page).toContain('By Ada');
    await expectValid(page);
    expect(await read(`/g/${guild}`)).toContain(`href="${path}"`);
    expect(await read(`/feeds/${guild}/by/${POSTER}`)).toContain('Read it twice.');
    const gone = async () => {
      await server.told(guild);
      const paths = [path, path.replace('/g/', '/feeds/')];
      const answers = await Promise.all(paths.map((each) => server.get(each)));
      return answers.map(({ status }) => status);
    };
    await setUnnamed(server.store, guild, POSTER, true);
    await expect.poll(gone).toEqual([404, 404]);
    await setUnnamed(server.store, guild, POSTER, false);
    await expect.poll(gone).toEqual([200, 200]);
    await setOptedOut(server.store, guild, POSTER, true);
    await expect.poll(gone).toEqual([404, 404]);
    const nameless = await openGuild();
    await server.post(nameless);
    expect((await server.get(`/g/${nameless}/by/${POSTER}`)).status).toBe(404);
  });

  test('a member’s page is away until Discord has said what they are called', async () => {
    const guild = await openGuild({ names: true });
    await server.post(guild);
    server.discord.unanswered.add(POSTER);
    const status = async (path: string) => (await server.get(path)).status;
    expect(await status(`/g/${guild}/by/${POSTER}`)).toBe(503);
    expect(await status(`/feeds/${guild}/by/${POSTER}`)).toBe(503);
    server.discord.unanswered.delete(POSTER);
    expect(await status(`/g/${guild}/by/${POSTER}`)).toBe(200);
  });

  test('an invented member’s page asks Discord for no name', async () => {
    const guild = await openGuild({ names: true });
    await server.post(guild);
    const invented = '123456789012345678';
    expect((await server.get(`/g/${guild}/by/${invented}`)).status).toBe(404);
    expect(server.discord.asked).not.toContain(invented);
    // Nor is one away for ever who posted and is called nothing.
    await server.post(guild, { poster: invented });
    await server.told(guild);
    expect((await server.get(`/g/${guild}/by/${invented}`)).status).toBe(404);
    expect(server.discord.asked).toContain(invented);
  });

  test('a search without a script finds words of titles, shows none of its own as markup, and begins empty', async () => {
    const guild = await openGuild();
    await server.post(guild, { title: 'Write a <b>compiler</b>' });
    await server.post(guild, { title: 'Something else' });
    await server.post(guild, { title: '||The compiler did it||' });
    const page = await fresh(guild, `/g/${guild}/search?q=compiler`);
    expect(page).toContain('1 link');
    expect(page).toContain('Write a &lt;b&gt;compiler');
    expect(page).not.toMatch(/Something else|did it/);
    await expectValid(page);
    const odd = await read(`/g/${guild}/search?q=${encodeURIComponent('<script>"\ufffe')}`);
    expect(odd).not.toContain('<script');
    await expectValid(odd);
    await expectValid(await read(`/g/${guild}/search`));
    expect((await server.get(`/feeds/${guild}/search`)).status).toBe(404);
    expect(await read(`/feeds/${guild}/search?q=compiler`)).toContain('compiler');
  });

  test('many channels are the eight fullest in a row, and all on a page', async () => {
    const guild = await openGuild();
    // The last one has no article.
    const groups = Array.from({ length: 13 }, (_, n) => ({
      id: `30000000000000010${n}`,
      name: `c${n}`,
    }));
    server.communities.get(guild)!.groups = groups;
    for (const [n, { id: home }] of groups.slice(0, 12).entries()) {
      for (let i = 0; i <= n; i += 1) await server.post(guild, { home });
    }
    const fullest = ['c4', 'c5', 'c6', 'c7', 'c8', 'c9', 'c10', 'c11'];
    await expect.poll(async () => inRow(await fresh(guild, `/g/${guild}`))).toEqual(fullest);
    // And the one whose page it is.
    expect(inRow(await read(`/g/${guild}/${groups[0]!.id}`))).toEqual(['c0', ...fullest]);
    expect(await read(`/g/${guild}`)).toContain(`href="/g/${guild}/channels"`);
    const all = await read(`/g/${guild}/channels`);
    expect(all.match(/<bdi>#c\d+<\/bdi>/g)).toHaveLength(12);
    await expectValid(all);
  });
});

test('what is blocked after it was posted is on no page and in no feed, and a blocked description neither', async () => {
  const guild = await openGuild();
  const described = await server.post(guild, { title: 'Stays here' });
  await writePreview(server.ranking, guild, described, { description: 'Pills, cheap.' });
  const ids = [
    described,
    await server.post(guild, { title: 'Buy pills now' }),
    await server.post(guild, { title: 'Sold', link: 'https://spam.example/coin' }),
    await server.post(guild, { title: 'Said', comment: 'Also p1lls.' }),
  ];
  await writeEdition(
    server.store,
    guild,
    { name: 'daily', date: '2027-03-09' },
    {
      articles: ids.map((id) => ({ id, net: 3, replies: 0 })),
      rising: ids.slice(1),
      postedAtMs: server.clock.now(),
      fromMs: 0,
      channel: RUST,
      isPublic: true,
    },
  );
  const paths = ['', '?order=time', '?order=votes', '/month/2027-03', '/search?q=s'].flatMap(
    (end) =>
      end.startsWith('/month')
        ? [`/g/${guild}${end}`]
        : [`/g/${guild}${end}`, `/feeds/${guild}${end}`],
  );
  paths.push(`/feeds/${guild}/front`, `/feeds/${guild}/digest`, `/g/${guild}/digest`);
  paths.push(`/g/${guild}/digest/daily/2027-03-09`, `/g/${guild}/site/news.example`);
  const seen = /Stays here|Pills, cheap|pills now|>Sold|Said|p1lls/g;
  const before = await Promise.all(paths.map((path) => fresh(guild, path)));
  expect(before.join().match(seen)).toContain('Pills, cheap');
  expect(before.join().match(seen)).toContain('>Sold');
  const block = { reason: '', untilMs: null, posting: true, voting: false, by: '1', sinceMs: 0 };
  for (const subject of [
    { kind: 'words', words: 'pills' },
    { kind: 'site', site: 'spam.example' },
  ] as const) {
    await writeBlock(server.store, guild, { subject, ...block });
  }
  for (const path of paths) {
    expect([path, [...new Set((await fresh(guild, path)).match(seen))]]).toEqual([
      path,
      ['Stays here'],
    ]);
  }
});

test('what is blocked after it was posted leaves its place on a page to the next', async () => {
  const guild = await openGuild();
  const blocked = await server.post(guild, { title: 'Buy pills now' });
  for (const member of ['1', '2']) {
    await setVote(
      server.ranking,
      { guild, article: blocked, member, vote: 'up' },
      server.clock.now(),
    );
  }
  for (let n = 0; n < 30; n += 1) await server.post(guild, { title: `Story ${n}` });
  const subject = { kind: 'words', words: 'pills' } as const;
  const block = { reason: '', untilMs: null, posting: true, voting: false, by: '1', sinceMs: 0 };
  await writeBlock(server.store, guild, { subject, ...block });
  const month = new Date(server.clock.now() - 3_600_000).toISOString().slice(0, 7);
  const shown = async (path: string) => {
    const page = await fresh(guild, `/g/${guild}${path}`);
    return new Set(page.match(/Story \d+/g)).size;
  };
  expect(await shown(`/month/${month}`)).toBe(30);
  expect(await shown('?order=votes')).toBe(WEB_PAGE_SIZE);
  expect(await shown('?order=votes&page=2')).toBe(30 - WEB_PAGE_SIZE);
});

test('an address with a slash too many leads to the page, and to no other host', async () => {
  const guild = await openGuild();
  const { status, headers } = await fetch(`${server.web.address}/g/${guild}/?order=time`, {
    redirect: 'manual',
  });
  expect([status, headers.get('location')]).toEqual([301, `/g/${guild}?order=time`]);
  for (const path of ['//evil.example/', `/g/${guild}//evil.example/`]) {
    const answer = await fetch(server.web.address + path, { redirect: 'manual' });
    expect(answer.headers.get('location') ?? '').not.toContain('evil');
  }
});

test('a feed has the text of a page: what Discord found, who said what, and the front page alone has ten', async () => {
  const guild = await openGuild({ names: true });
  for (let n = 0; n < 12; n += 1) await server.post(guild, { comment: `What I think: ${n}.` });
  const id = await server.post(guild, { title: 'About', postedAtMs: server.clock.now() - 1000 });
  await writePreview(server.ranking, guild, id, { description: 'A guide.' });
  const feed = await fresh(guild, `/feeds/${guild}?format=json`);
  expect(jsonFeedFaults(feed)).toEqual([]);
  const { items } = JSON.parse(feed) as { items: { content_html: string; authors: unknown }[] };
  expect(items).toHaveLength(13);
  expect(items[0]!.content_html).toContain('<p>A guide.</p>');
  expect(items[1]!.content_html).toContain('<blockquote><p>What I think');
  expect(items[1]!.authors).toEqual([{ name: NAMES[POSTER] }]);
  const front = await read(`/feeds/${guild}/front?format=json`);
  expect(JSON.parse(front)['items']).toHaveLength(10);
});

test('the page and its feeds are in the language that the server chose, not in that of its Discord', async () => {
  const guild = await openGuild();
  await server.post(guild);
  await writeSetting(server.store, guild, 'language', 'de');
  expect(await fresh(guild, `/g/${guild}`)).toContain('<html lang="de">');
  const feed = await fresh(guild, `/feeds/${guild}?format=json`);
  expect(JSON.parse(feed)).toMatchObject({ language: 'de' });
});

test('the feed of the front page has what reached the first ten, also where nobody looked, and is bounded', async () => {
  const guild = await openGuild();
  // A vote is worth 72 minutes.
  await setScale(server.ranking, guild, { mark: 20 });
  const path = `/feeds/${guild}/front?format=json`;
  const titles = async () => {
    const { items } = JSON.parse(await fresh(guild, path)) as { items: { title: string }[] };
    return items.map(({ title }) => title.split(' · ')[0]);
  };
  const start = server.clock.now() - 20 * 3_600_000;
  const post = (title: string, hours: number) =>
    server.post(guild, { title, postedAtMs: start + hours * 3_600_000 });
  // Nobody sees it above the others, which are older and voted for later.
  const liked = await post('Liked', 0);
  await up(guild, liked, 2);
  const unliked = await post('Against', 0.1);
  for (const member of ['1', '2']) {
    const ballot = { guild, article: unliked, member, vote: 'down' as const };
    await setVote(server.ranking, ballot, server.clock.now());
  }
  await post('Passed by', 0.2);
  const strong: string[] = [];
  for (let n = 0; n < 10; n += 1) strong.push(await post(`Strong ${n}`, 1 + n / 10));
  for (const id of strong) await up(guild, id, 3);
  await up(guild, await post('Too late', 3), 1);
  const first = await titles();
  expect(first).toHaveLength(11);
  expect(first).toContain('Liked');
  // A reader sees them, and older ones are lifted above them.
  const seen = await post('Seen', 4);
  await up(guild, seen, 2);
  expect(await titles()).toContain('Seen');
  for (const id of strong) {
    for (const member of ['4', '5']) {
      const ballot = { guild, article: id, member, vote: 'up' as const };
      await setVote(server.ranking, ballot, server.clock.now());
    }
  }
  const later = await titles();
  expect(later).toContain('Seen');
  expect(later).not.toContain('Too late');
  expect(later).not.toContain('Against');
  for (let n = 0; n < 30; n += 1) await up(guild, await post(`More ${n}`, 5 + n / 10), 3);
  expect(await titles()).toHaveLength(25);
});
