import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languages } from '../../src/text/catalogue.ts';
import { feedSecret, writeWebSettings } from '../../src/web/web-settings.ts';
import { sample } from '../fixtures/sample.ts';
import { startBrowser } from './browser.ts';
import { AI, type WebServer, startWebServer } from './web-server.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let server: WebServer;
let browser: Browser;
let guild: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([startWebServer(), startBrowser()]);
  guild = server.newGuild();
  await writeWebSettings(server.store, guild, { open: true });
  await feedSecret(server.store, guild);
  const link = `https://a-rather-long-host-name.${'sub.'.repeat(12)}example/path`;
  await server.post(guild, { title: 'W'.repeat(256), link, groups: [AI] });
  for (let i = 0; i < 30; i++)
    await server.post(guild, { title: `An article about ${i}, 第 ${i} 篇` });
});
afterAll(() => Promise.all([server.stop(), browser.close()]));

type Looks = { width: number; dark: boolean; path: string };

async function openedPage({ width, dark, path }: Looks): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height: 844 },
    colorScheme: dark ? 'dark' : 'light',
    // As for everybody: axe is put in by the browser itself, past the page's policy.
    bypassCSP: true,
  });
  await page.goto(server.web.address + path);
  return page;
}

const paths = [
  '',
  ...[...languages.keys()].map((locale) => `?order=votes&lang=${locale}`),
  `/${AI}?order=time`,
  '?order=interesting',
];
const narrow = paths.flatMap((path) => [false, true].map((dark) => ({ path, dark, width: 390 })));
const looks = sample([...narrow, { path: '', dark: false, width: 1200 }], 2);

describe.each(looks)('the page $path at $width pixels, dark: $dark', ({ path, width, dark }) => {
  test('is accessible and fits', async () => {
    const page = await openedPage({ path: `/g/${guild}${path}`, width, dark });
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: any[] }> } };
      const found = (await axe.run()).violations;
      return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
    });
    expect(violations.filter((it) => /^(serious|critical)/.test(it))).toEqual([]);
    const overflow = await page.evaluate(() => {
      const { document } = globalThis as unknown as { document: any };
      return document.documentElement.scrollWidth - document.documentElement.clientWidth;
    });
    expect(overflow).toBe(0);
    await page.close();
  });
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
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => faults.push(message.text()));
  page.on('requestfailed', (request) => faults.push(request.url()));
  await page.goto(`${server.web.address}/g/${guild}`);
  await page.getByRole('link', { name: 'Newest first', exact: true }).click();
  await page.getByRole('link', { name: 'Next' }).click();
  expect(await page.getByRole('article').count()).toBe(6);
  await page.getByRole('link', { name: '简体中文' }).click();
  expect(await page.getByText('第 2 页，共 2 页').count()).toBe(1);
  await page.getByRole('link', { name: '#人工智能' }).first().click();
  expect(await page.getByRole('article').count()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});
