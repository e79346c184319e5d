import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../sandbox/tour/prepare/prepare.ts';

/** A real browser, without a window. `npm test` makes sure that there is one. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium: npm test installs it.');
  // Containers have no namespaces for a sandbox, and the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
