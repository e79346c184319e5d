import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feedSecret, writeWebSettings } from '../../src/records/web-settings.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { writeReplies } from '../../src/ranking/articles/discussions.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { feedPath, type Format, FORMATS } from '../../src/web/feeds/feed-address.ts';
import type { View } from '../../src/web/pages/view.ts';
import { startBrowser } from './browser.ts';
import { atomFaults, type Element, jsonFaults, parseXml, rssFaults } from './feed-rules.ts';
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

const best: View = { group: null, order: 'score', period: 'week', page: 1 };

async function pathTo(guild: string, format: Format, view: View = best): Promise<string> {
  return feedPath(guild, view, await feedSecret(server.store, guild), format);
}

async function read(guild: string, format: Format, view?: View): Promise<string> {
  const response = await server.get(await pathTo(guild, format, view));
  expect(response.status).toBe(200);
  return response.text();
}

/** What the formats' rules find at fault. */
async function faultsOf(format: Format, text: string): Promise<string[]> {
  if (format === 'json') return jsonFaults(JSON.parse(text) as Parameters<typeof jsonFaults>[0]);
  const parsed = await parseXml(page, text);
  return format === 'atom' ? atomFaults(parsed) : rssFaults(parsed);
}

/** The titles as a reader shows them. */
async function titles(format: Format, text: string): Promise<string[]> {
  if (format === 'json') {
    return (JSON.parse(text) as { items: { title: string }[] }).items.map(({ title }) => title);
  }
  const find = (element: Element, name: RegExp): Element[] =>
    element.children.flatMap((it) => [...(name.test(it.name) ? [it] : []), ...find(it, name)]);
  const found = find(await parseXml(page, text), /(^|\})(entry|item)$/)
    .flatMap((it) => find(it, /(^|\})title$/))
    .map((it) => it.text);
  if (format === 'rss') return found;
  // Atom's are HTML.
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

describe.each(FORMATS)('as %s', (format) => {
  test('a feed keeps the rules of its format, and each title is as it was posted', async () => {
    const guild = server.newGuild();
    await writeWebSettings(server.store, guild, { open: true, names: true });
    server.names.set(POSTER, 'Ada <Moreau> & co');
    await server.post(guild, { title: nasty, link: 'https://a.example/?q=1&r=%3Cx%3E#f' });
    await server.post(guild, { poster: '200000000000000077' });
    const text = await read(guild, format);
    expect(await faultsOf(format, text)).toEqual([]);
    const shown = (await titles(format, text)).find((title) => title.includes('quoted'));
    // No format can say the end of a CDATA section in all readers, nor a control character.
    expect(shown?.replaceAll(']]›', ']]>')).toMatch(
      /^<b>A & B<\/b> &amp; \]\]> and \]\]> "quoted" 中文 😀 /,
    );
    expect(text).toContain('Ada &');
  });

  test('an empty feed keeps them too, and one in Chinese', async () => {
    const guild = server.newGuild();
    server.communities.get(guild)!.locale = 'zh-CN';
    const text = await read(guild, format);
    expect(await faultsOf(format, text)).toEqual([]);
    expect(text).toContain('最佳');
  });

  test('a removed article leaves at once', async () => {
    const guild = server.newGuild();
    const id = await server.post(guild, { title: 'going' });
    await expect.poll(() => read(guild, format)).toContain('going');
    await deleteArticle(server.ranking, guild, id);
    await server.ranking.changes.flush();
    // A page is kept for longer where nobody tells of changes.
    const leaves = async () => {
      await expect.poll(() => read(guild, format)).not.toContain('going');
    };
    await within(10_000, leaves());
  });

  test('it is not sent again to who has it while nothing changes', async () => {
    const guild = server.newGuild();
    await server.post(guild);
    const path = await pathTo(guild, format);
    const headers = { 'if-none-match': (await server.get(path)).headers.get('etag')! };
    expect((await server.get(path, headers)).status).toBe(304);
    await server.post(guild);
    await expect.poll(async () => (await server.get(path, headers)).status).toBe(200);
  });

  test('a vote and a comment change the text of an item, and nothing by which it is new', async () => {
    const guild = server.newGuild();
    const article = await server.post(guild);
    await expect.poll(() => read(guild, format)).toContain('<p>▲ 1 · news.example · ');
    const before = await read(guild, format);
    expect(before).not.toContain('comment');
    const now = server.clock.now();
    await setVote(server.ranking, { guild, article, member: '7', vote: 'up' }, now);
    await writeReplies(server.ranking, guild, article, 12);
    await expect
      .poll(() => read(guild, format))
      .toBe(before.replace('▲ 1 · news.example', '▲ 2 · 12 comments · news.example'));
    for (const member of ['7', '8'])
      await setVote(server.ranking, { guild, article, member, vote: 'down' }, now);
    await expect.poll(() => read(guild, format)).toContain('<p>▼ 1 · 12 comments · ');
    expect(await faultsOf(format, await read(guild, format))).toEqual([]);
  });
});

test('there is a feed for each order and each public group', async () => {
  const guild = server.newGuild();
  await server.post(guild, { title: 'in rust' });
  await server.post(guild, { title: 'in ai', home: AI });
  await server.post(guild, { title: 'kept back', home: SECRET });
  for (const order of ['front', 'score', 'time', 'votes', 'interesting'] as const) {
    const text = await read(guild, 'json', { ...best, order });
    expect(text.includes('in rust')).toBe(order !== 'interesting');
    expect(text).not.toContain('kept back');
  }
  const group = await read(guild, 'json', { ...best, group: AI });
  expect(await titles('json', group)).toEqual(['in ai']);
  const secret = await server.get(await pathTo(guild, 'json', { ...best, group: SECRET }));
  expect(secret.status).toBe(404);
});

describe('an address', () => {
  test('is good for one list of one guild alone', async () => {
    const guild = server.newGuild();
    const other = server.newGuild();
    await feedSecret(server.store, other);
    const path = await pathTo(guild, 'atom');
    expect((await server.get(path)).status).toBe(200);
    const forged = [
      path.replace(guild, other),
      path.replace('/score/', '/time/'),
      path.replace('/all/', `/${RUST}/`),
      path.replace(/\/[\w-]+\.atom$/, '/.atom'),
      path.replace(/.\.atom$/, '.atom'),
      `${path}x`,
      path.replace('/score/', '/score-week/'),
    ];
    for (const wrong of forged)
      expect([wrong, (await server.get(wrong)).status]).toEqual([wrong, 404]);
  });

  test('is good whether the guild has a page or not, until it is revoked', async () => {
    const guild = server.newGuild();
    const path = await pathTo(guild, 'rss');
    expect((await server.get(path)).status).toBe(200);
    await writeWebSettings(server.store, guild, { secret: null });
    server.ranking.changes.note(guild);
    await expect.poll(async () => (await server.get(path)).status).toBe(404);
    const renewed = await pathTo(guild, 'rss');
    server.ranking.changes.note(guild);
    expect(renewed).not.toBe(path);
    await expect.poll(async () => (await server.get(renewed)).status).toBe(200);
    expect((await server.get(path)).status).toBe(404);
  });

  test('stands on the public page once there is one', async () => {
    const guild = server.newGuild();
    await writeWebSettings(server.store, guild, { open: true, names: false });
    const path = await pathTo(guild, 'atom');
    const html = await (await server.get(`/g/${guild}`)).text();
    expect(html).toContain(
      `<link rel="alternate" type="application/atom+xml" title="Atom" href="${path}">`,
    );
  });
});
