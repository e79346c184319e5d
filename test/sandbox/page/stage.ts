import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startBotProcess } from '../../../sandbox/bot-process.ts';
import { findChromium } from '../../../sandbox/prepare.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server.ts';
import { setUpDigest } from '../../../sandbox/set-up-digest.ts';
import { startClock } from '../../../src/clock.ts';

/** The sandbox with the real bot as its own process, and a real browser before it. */
export type Stage = {
  sandbox: Sandbox;
  browser: Browser;
  /** A tab of its own, of someone who has just come; everything that must not happen is noted. */
  visit(options?: VisitOptions): Promise<Page>;
  /** Errors on the console, uncaught ones, and requests to other hosts, of all tabs so far. */
  offences: string[];
  stop(): Promise<void>;
};

export type VisitOptions = {
  as?: string;
  width?: number;
  height?: number;
  scheme?: 'dark' | 'light';
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
export const PATIENCE_MS = 15_000;

export async function startStage(options: SandboxOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const clockFile = join(folder, 'clock-offset');
  const clock = startClock(clockFile);
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('tsx sandbox/prepare.ts chromium');
  const [sandbox, browser] = await Promise.all([
    startSandbox({ past: true, ...options, clock, clockFile, botData: folder }),
    chromium.launch({ executablePath, args: FLAGS }),
  ]);
  const bot = startBotProcess({
    DISCORD_TOKEN: sandbox.token,
    DISCORD_TOKEN_FILE: '',
    DISCORD_API_BASE: sandbox.apiBase,
    REDIS_URL: '',
    DATA_DIR: folder,
    CLOCK_OFFSET_FILE: clockFile,
    MESSAGE_CONTENT: 'off',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
  });
  const offences: string[] = [];
  await sandbox.until(
    () => (sandbox.world.commands.size > 0 ? true : undefined),
    'the bot',
    30_000,
  );
  await setUpDigest(sandbox);
  return {
    sandbox,
    browser,
    offences,
    visit: async (wish = {}) => {
      const context = await newContext(browser, wish);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      watch(page, sandbox.address, offences);
      if (wish.as !== undefined) {
        const me = wish.as;
        await page.addInitScript(`sessionStorage.me ??= '${me}'`);
      }
      await page.goto(sandbox.address);
      await page.locator('discord-message').first().waitFor();
      return page;
    },
    stop: async () => {
      await browser.close();
      sandbox.tour.stop();
      // Whoever made Redis stand still lets it go on, or the bot could not end it.
      await fetch(`${sandbox.address}/sandbox/trouble`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redis: 'there', api: 'well' }),
      });
      await bot.stop();
      await sandbox.stop();
      clock.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function newContext(browser: Browser, wish: VisitOptions): Promise<BrowserContext> {
  const { width = 1280, height = 800, scheme = 'dark', scale = 1 } = wish;
  return browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    deviceScaleFactor: scale,
    locale: 'en-US',
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
