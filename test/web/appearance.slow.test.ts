import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languages } from '../../src/text/catalogue.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { writePreview } from '../../src/ranking/articles/previews.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { storeDraft } from '../../src/web/newsletter-draft.ts';
import { writeWebSettings } from '../../src/web/web-settings.ts';
import { sample } from '../fixtures/sample.ts';
import { startBrowser } from './browser.ts';
import { AI, ICON, RUST, type WebServer, startWebServer } from './web-server.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const COPY = 'https://images-ext-1.discordapp.net/external/x';

let server: WebServer;
let browser: Browser;
let guild: string;
/** The path of a draft, which no test knows before there is one. */
let newsletter: string;
/** The path of an article's page. */
let article: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([startWebServer({ pictures: true }), startBrowser()]);
  guild = server.newGuild();
  server.communities.get(guild)!.icon = ICON;
  const about = 'Makers, night owls, and everybody who likes to read the manual.';
  const invite = 'https://discord.gg/abc';
  await writeWebSettings(server.store, guild, { open: true, names: true, about, invite });
  const link = `https://a-rather-long-host-name.${'sub.'.repeat(12)}example/path`;
  await server.post(guild, { title: 'W'.repeat(256), link, groups: [AI] });
  for (let i = 0; i < 30; i++)
    await server.post(guild, { title: `An article about ${i}, 第 ${i} 篇` });
  const best = await server.post(guild, { title: 'The best', comment: 'Read it twice.' });
  const now = server.clock.now();
  for (const member of ['1', '2', '3']) {
    await setVote(server.ranking, { guild, article: best, member, vote: 'up' }, now);
  }
  await server.post(guild, { title: 'Grids', link: 'https://redblobgames.com/grids' });
  const description = 'What Discord found about it, in a sentence or two.';
  await writePreview(server.ranking, guild, best, { description, picture: COPY, copy: COPY });
  article = `/article/${best}`;
  const edition = { name: 'daily', date: '2027-03-09' };
  await writeEdition(server.store, guild, edition, {
    articles: [{ id: best, net: 4, replies: 2 }],
    rising: [best],
    firstPosts: [],
    discussed: [best],
    postedAtMs: now,
    fromMs: now - DAY_MS,
    channel: RUST,
    message: best,
    isPublic: true,
  });
  newsletter = `/newsletter/${await storeDraft(server.store, guild, { ...edition, intro: 'Good morning.', order: '' })}`;
});
afterAll(() => Promise.all([server.stop(), browser.close()]));

type Looks = { width: number; dark: boolean; path: string };

async function openedPage(
  { width, dark, path }: Looks,
  beforeOpening: (page: Page) => Promise<void> = async () => {},
  on = browser,
): Promise<Page> {
  const page = await on.newPage({
    viewport: { width, height: width > 2000 ? 2160 : 844 },
    colorScheme: dark ? 'dark' : 'light',
    // As for everybody: axe is put in by the browser itself, past the page's policy.
    bypassCSP: true,
  });
  // A picture comes late, as it does from far away.
  await page.route(`${COPY}*`, async (route) => {
    await page.waitForLoadState('domcontentloaded');
    await route.fulfill(picture);
  });
  await beforeOpening(page);
  await page.goto(
    server.web.address + path.replace('/newsletter', newsletter).replace('/article', article),
  );
  return page;
}

const picture = {
  contentType: 'image/svg+xml',
  body: '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"/>',
};

const paths = [
  '',
  ...[...languages.keys()].map((locale) => `?order=votes&lang=${locale}`),
  `/${AI}?order=time`,
  '?order=interesting',
];
const WIDTHS = [320, 390, 768, 1280, 1920, 3840];
/** Each kind of page. */
const kinds = [
  '',
  '/month/2027-03',
  '/digest',
  '/digest/daily/2027-03-09',
  '/search?q=article',
  '/channels',
  '/article',
  '/newsletter',
  '/newsletter/markdown',
];
const narrow = paths.flatMap((path) => [false, true].map((dark) => ({ path, dark, width: 390 })));
const wide = kinds.flatMap((path) =>
  WIDTHS.map((width, at) => ({ path, dark: at % 2 === 0, width })),
);
const looks = sample([...narrow, ...wide], 5);
/** Each kind at each width, and in a sample each kind and width once. */
const loading = sample(
  WIDTHS.flatMap((width, at) =>
    kinds.map((_, i) => ({ width, path: kinds[(i + at) % kinds.length]! })),
  ),
  WIDTHS.length,
);

describe.each(looks)('the page $path at $width pixels, dark: $dark', ({ path, width, dark }) => {
  test('a page of the public web is accessible and fits its width', async () => {
    const page = await openedPage({ path: `/g/${guild}${path}`, width, dark });
    expect(await faultsOf(page)).toEqual([]);
    await page.close();
  });
});

/** What axe finds, of any impact, and whether the page is wider than the window. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: any[] }> } };
    const found = (await axe.run()).violations;
    return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
  });
  return [...violations, ...(await overflowOf(page))];
}

async function overflowOf(page: Page): Promise<string[]> {
  const overflow = await page.evaluate(() => {
    const { document } = globalThis as unknown as { document: any };
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
  return overflow > 0 ? [`${overflow} pixels too wide`] : [];
}

test.each(loading)(
  'nothing on the page $path moves while it loads at $width pixels',
  async ({ path, width }) => {
    const at = { path: `/g/${guild}${path}`, width, dark: false };
    const page = await openedPage(at, async (opening) => {
      await opening.addInitScript(() => {
        const seen = globalThis as unknown as { shifts: number[] };
        seen.shifts = [];
        // Node's types know only the entries of Node.
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as unknown as { value: number }[]) {
            seen.shifts.push(entry.value);
          }
        }).observe({ type: 'layout-shift' as 'measure', buffered: true });
      });
    });
    const shifts = await page.evaluate(async () => {
      const frame = globalThis as unknown as {
        shifts: number[];
        requestAnimationFrame(done: () => void): void;
      };
      for (let n = 0; n < 3; n += 1)
        await new Promise<void>((go) => frame.requestAnimationFrame(go));
      return frame.shifts;
    });
    expect(shifts).toEqual([]);
    await page.close();
  },
);

test('the address without a path and a missing page are accessible and fit at 320 pixels', async () => {
  for (const path of ['/', '/nothing']) {
    const page = await openedPage({ path, width: 320, dark: true });
    expect(await faultsOf(page)).toEqual([]);
    await page.close();
  }
});

test('an article with a picture has at most two lines of facts at 390 pixels', async () => {
  const page = await openedPage({ path: `/g/${guild}?order=time`, width: 390, dark: false });
  const lines: number[] = await page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as unknown as any;
    const all: any[] = [...document.querySelectorAll('li.pictured .facts')];
    return all.map((facts) => {
      const { height } = facts.getBoundingClientRect() as { height: number };
      return Math.round(height / Number.parseFloat(getComputedStyle(facts).lineHeight as string));
    });
  });
  expect(lines.length).toBeGreaterThan(0);
  expect(Math.max(...lines)).toBeLessThanOrEqual(2);
  await page.close();
});

test('letters of twice the size fit on a phone in a language of long words, and no host of usual length breaks within a word', async () => {
  const large = await startBrowser({ letters: 32 });
  try {
    const faults: Record<string, string[]> = {};
    for (const path of kinds) {
      const at = { path: `/g/${guild}${path}`, width: 390, dark: false };
      const german = { ...at, path: `${at.path}${path.includes('?') ? '&' : '?'}lang=de` };
      const page = await openedPage(german, async () => {}, large);
      const broken = await page.evaluate(() => {
        const { document } = globalThis as unknown as { document: any };
        const hosts: any[] = [...document.querySelectorAll('.facts a[href*="/site/"]')];
        return hosts
          .filter((host) => host.innerText.length < 18 && host.getClientRects().length > 1)
          .map((host) => `breaks: ${host.innerText}`);
      });
      faults[path] = [...(await overflowOf(page)), ...broken];
      await page.close();
    }
    expect(faults).toEqual(Object.fromEntries(kinds.map((path) => [path, []])));
  } finally {
    await large.close();
  }
});

test('light and dark are two pages to look at', async () => {
  const colours = [false, true].map(async (dark) => {
    const page = await openedPage({ path: `/g/${guild}`, width: 800, dark });
    const colour = await page.evaluate(() => {
      const { document, getComputedStyle } = globalThis as unknown as any;
      return getComputedStyle(document.body).backgroundColor as string;
    });
    await page.close();
    return colour;
  });
  expect(new Set(await Promise.all(colours)).size).toBe(2);
});

test.each([...languages.keys()])(
  'on a phone the first article stands in the upper third in %s',
  async (lang) => {
    const page = await openedPage({ path: `/g/${guild}?lang=${lang}`, width: 390, dark: false });
    const box = await page.getByRole('article').first().boundingBox();
    expect(box?.y).toBeLessThan(844 / 3);
    await page.close();
  },
);

test('the page works without scripts, from order to order and page to page', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  await context.route(`${COPY}*`, (route) => route.fulfill(picture));
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => faults.push(message.text()));
  page.on('requestfailed', (request) => faults.push(request.url()));
  await page.goto(`${server.web.address}/g/${guild}`);
  // Until all is loaded: what is left before counts as failed.
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.waitForURL(/order=time/);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/page=2/);
  expect(await page.getByRole('article').count()).toBe(8);
  await page.getByRole('link', { name: '简体中文' }).click();
  await page.waitForURL(/lang=zh-CN/);
  expect(await page.getByText('第 2 页，共 2 页').count()).toBe(1);
  await page.getByRole('link', { name: '#人工智能' }).first().click();
  expect(await page.getByRole('article').count()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});
