import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { type RunningSandbox, startRunningSandbox } from './running-sandbox.ts';

/**
 * Makes the pictures of README.md: `npm run pictures`. Look at them before you commit them. Debian
 * needs `fonts-noto-core` and `fonts-noto-cjk` for the letters.
 */
const place = (name: string): string =>
  fileURLToPath(new URL(`../../../docs/pictures/${name}.png`, import.meta.url));

mkdirSync(place('.').replace(/\/[^/]*$/, ''), { recursive: true });
const running = await startRunningSandbox();
try {
  await takePage(running);
  await takeDigest(running);
  await takePhone(running);
} finally {
  await running.stop();
}
if (running.offences.length > 0) {
  console.error(running.offences.join('\n'));
  process.exitCode = 1;
}

/** A channel with an article and its preview, and beside it an article that has just climbed. */
async function takePage({ sandbox, ...visits }: RunningSandbox): Promise<void> {
  const page = await visits.visit({ as: sandbox.members[0] ?? '', height: 860, scale: 2 });
  await page.locator('.channel', { hasText: 'game-dev' }).click();
  await page.locator('[data-step=climb] .head').click();
  await page.locator('[data-step=climb] .how button').click();
  // It leads: the step is done, and opened again.
  await page.locator('[data-step=climb].done').waitFor({ timeout: 120_000 });
  await page.locator('[data-step=climb] .head').click();
  await page.locator('.front .climbing').waitFor();
  await page.locator('#text').hover();
  await settle(page);
  await page.screenshot({ path: place('page') });
  await page.context().close();
}

async function takeDigest(visits: RunningSandbox): Promise<void> {
  const page = await visits.visit({ height: 1215, scale: 2 });
  await page.locator('.channel', { hasText: 'front-page' }).click();
  const digest = page.locator('#messages discord-message', { hasText: 'Daily digest' });
  await digest.waitFor();
  await settle(page);
  // From its first line, and not at the end of the channel.
  await page.locator('#messages').evaluate((list: any) => {
    list.scrollTop = 0;
  });
  await settle(page);
  await page.locator('main').screenshot({ path: place('digest') });
  await page.context().close();
}

async function takePhone({ sandbox, ...visits }: RunningSandbox): Promise<void> {
  const options = { width: 390, height: 800, scheme: 'light', scale: 2 } as const;
  const page = await visits.visit({ ...options, as: sandbox.members[4] ?? '' });
  await page.locator('.room-head .drawer-button').first().click();
  await page.locator('.channel', { hasText: 'game-dev' }).click();
  await page.locator('discord-message', { hasText: 'Hexagonal Grids' }).waitFor();
  await settle(page);
  await page.screenshot({ path: place('phone') });
  await page.context().close();
}

/** Until the components have drawn themselves and the list has come to its end. */
async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(600);
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
}
