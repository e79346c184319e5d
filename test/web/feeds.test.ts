import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feedSecret, writeWebSettings } from '../../src/web/web-settings.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { writeReplies } from '../../src/ranking/articles/discussions.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { startBrowser } from './browser.ts';
import { atomFaults, type Element, parseXml } from './feed-rules.ts';
import { AI, SECRET, type WebServer, startWebServer } from './web-server.ts';
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

async function pathTo(guild: string, list = ''): Promise<string> {
  return `/feeds/${guild}/${await feedSecret(server.store, guild)}${list}`;
}

async function read(guild: string, list?: string): Promise<string> {
  const response = await server.get(await pathTo(guild, list));
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
    const guild = server.newGuild();
    await writeWebSettings(server.store, guild, { open: true });
    await server.post(guild, { title: nasty, link: 'https://a.example/?q=1&r=%3Cx%3E#f' });
    const text = await read(guild);
    expect(await faultsOf(text)).toEqual([]);
    const shown = (await titles(text)).find((title) => title.includes('quoted'));
    // XML has no control characters.
    expect(shown).toMatch(/^<b>A & B<\/b> &amp; \]\]> and \]\]> "quoted" 中文 😀 /);
  });

  test('an empty feed keeps them too, and one in Chinese', async () => {
    const guild = server.newGuild();
    server.communities.get(guild)!.locale = 'zh-CN';
    const text = await read(guild);
    expect(await faultsOf(text)).toEqual([]);
    expect(text).toContain('得分最高优先');
  });

  test('a removed article leaves at once', async () => {
    const guild = server.newGuild();
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
    const guild = server.newGuild();
    await server.post(guild);
    const path = await pathTo(guild);
    const headers = { 'if-none-match': (await server.get(path)).headers.get('etag')! };
    expect((await server.get(path, headers)).status).toBe(304);
    await server.post(guild);
    await expect.poll(async () => (await server.get(path, headers)).status).toBe(200);
  });

  test('a vote and a comment change the text of an item, and nothing by which it is new', async () => {
    const guild = server.newGuild();
    const article = await server.post(guild);
    await expect.poll(() => read(guild)).toContain('<p>▲ 1 · news.example · ');
    const before = await read(guild);
    expect(before).not.toContain('comment');
    const now = server.clock.now();
    await setVote(server.ranking, { guild, article, member: '7', vote: 'up' }, now);
    await writeReplies(server.ranking, guild, article, 12);
    await expect
      .poll(() => read(guild))
      .toBe(before.replace('▲ 1 · news.example', '▲ 2 · 12 comments · news.example'));
    for (const member of ['7', '8'])
      await setVote(server.ranking, { guild, article, member, vote: 'down' }, now);
    await expect.poll(() => read(guild)).toContain('<p>▼ 1 · 12 comments · ');
    expect(await faultsOf(await read(guild))).toEqual([]);
  });
});

test('there is a feed for each order and each public group', async () => {
  const guild = server.newGuild();
  await server.post(guild, { title: 'in rust' });
  await server.post(guild, { title: 'in ai', home: AI });
  await server.post(guild, { title: 'kept back', home: SECRET });
  for (const order of ['front', 'score', 'time', 'votes', 'interesting']) {
    const text = await read(guild, `?order=${order}`);
    expect(text.includes('in rust')).toBe(order !== 'interesting');
    expect(text).not.toContain('kept back');
  }
  expect(await titles(await read(guild, `/${AI}`))).toEqual(['in ai']);
  expect((await server.get(await pathTo(guild, `/${SECRET}`))).status).toBe(404);
});

describe('an address', () => {
  test('an address is good for one guild alone, and for lists that exist', async () => {
    const guild = server.newGuild();
    const other = server.newGuild();
    await feedSecret(server.store, other);
    const path = await pathTo(guild);
    expect((await server.get(path)).status).toBe(200);
    const forged = [
      path.replace(guild, other),
      path.slice(0, -1),
      `${path}x`,
      `/feeds/${guild}/`,
      `${path}/${AI}?order=front`,
      `${path}?order=best`,
    ];
    for (const wrong of forged)
      expect([wrong, (await server.get(wrong)).status]).toEqual([wrong, 404]);
  });

  test('an address is good whether the guild has a page or not, until it is revoked', async () => {
    const guild = server.newGuild();
    const path = await pathTo(guild);
    expect((await server.get(path)).status).toBe(200);
    await writeWebSettings(server.store, guild, { secret: null });
    server.ranking.changes.note(guild);
    await expect.poll(async () => (await server.get(path)).status).toBe(404);
    const renewed = await pathTo(guild);
    server.ranking.changes.note(guild);
    expect(renewed).not.toBe(path);
    await expect.poll(async () => (await server.get(renewed)).status).toBe(200);
    expect((await server.get(path)).status).toBe(404);
  });

  test('an address stands on the public page once there is one', async () => {
    const guild = server.newGuild();
    await writeWebSettings(server.store, guild, { open: true });
    const path = await pathTo(guild);
    const html = await (await server.get(`/g/${guild}`)).text();
    expect(html).toContain(
      `<link rel="alternate" type="application/atom+xml" title="Atom" href="${path}">`,
    );
  });
});
