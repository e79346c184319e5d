import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../sandbox/tour/prepare/prepare.ts';

/** A real browser before a page; whatever must not happen in any of its tabs is noted. */
export type PageBrowser = {
  /** A tab of its own, of someone who has just come. */
  visit(wish?: Wish): Promise<Page>;
  /** Errors on the console, uncaught ones, and requests to other hosts, so far. */
  offences: string[];
  close(): Promise<void>;
};

export type Wish = {
  /** Whom one acts as. */
  as?: string;
  width?: number;
  height?: number;
  scheme?: 'dark' | 'light';
  locale?: string;
  /** Pixels for each of the page's. */
  scale?: number;
};

/** Nothing of Chromium itself talks to anyone. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Wide enough for every deadline on a machine that does other things too. */
export const PATIENCE_MS = 60_000;

export async function openPageBrowser(address: string): Promise<PageBrowser> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error('Type: npx tsx sandbox/tour/prepare/prepare.ts chromium');
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const offences: string[] = [];
  return {
    offences,
    visit: async (wish = {}) => {
      const context = await newContext(browser, wish);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      watch(page, address, offences);
      if (wish.as !== undefined) await page.addInitScript(`sessionStorage.me ??= '${wish.as}'`);
      await page.goto(address);
      await page.locator('discord-message, .nothing').first().waitFor();
      return page;
    },
    close: () => browser.close(),
  };
}

function newContext(browser: Browser, wish: Wish): Promise<BrowserContext> {
  const { width = 1280, height = 800, scheme = 'dark', scale = 1, locale = 'en-US' } = wish;
  return browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    deviceScaleFactor: scale,
    locale,
    timezoneId: 'UTC',
    hasTouch: width < 500,
  });
}

function watch(page: Page, address: string, offences: string[]): void {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    offences.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => offences.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${address}/`) && !url.startsWith('data:')) offences.push(`asked: ${url}`);
  });
}
