import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../sandbox/tour/prepare/prepare.ts';

/** A real browser, without a window. `npm test` makes sure that there is one. */
export async function startBrowser({
  letters = 16,
}: {
  /** The size of letters that its owner chose, in pixels. */
  letters?: number;
} = {}): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium: npm test installs it.');
  // Containers have no namespaces for a sandbox, and the pages are our own.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  args.push(`--blink-settings=defaultFontSize=${letters}`);
  return chromium.launch({ executablePath, args });
}
