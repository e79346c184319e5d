import { writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/runtime/clock.ts';
import { useInstalledBot } from '../fixtures/installed-bot.ts';
import { isWhole } from '../fixtures/sample.ts';

const bot = useInstalledBot();
const twoMinutes = { timeout: 120_000, interval: 100 };

// Withstands (Time): The machine’s clock jumps by days
// → Discord’s time is used
test.runIf(isWhole)(
  'a machine’s clock that jumps by days closes no article, posts no digest and drops no vote',
  async () => {
    const { sandbox, command } = bot;
    const { general, ai } = sandbox.channels;
    const offsetFile = join(bot.folder, 'clock');
    const run = await bot.startApp({ CLOCK_OFFSET_FILE: offsetFile });
    const { said } = run;
    // An hour ago, so that an edition would be due after the jump.
    const time = new Date(Date.now() - HOUR_MS).toISOString().slice(11, 16);
    const set = await command('digest set', { channel: ai.id, time, timezone: 'UTC' });
    expect(set.said).toContain('Saved.');
    const { id } = await command('post', { link: 'https://news.example/jump', title: 'Jump' });
    for (const [at, days] of [8, -8].entries()) {
      writeFileSync(offsetFile, String(days * 24 * HOUR_MS));
      await expect.poll(() => said().match(/clock is wrong/g)?.length).toBe(at + 1);
      // The minute's work runs once more: only ahead of time there would be something to close or post.
      const next = days > 0 ? Math.floor(Date.now() / 60_000) + 1 : 0;
      await expect.poll(() => (Date.now() - 3000) / 60_000, twoMinutes).toBeGreaterThan(next);
      sandbox.as(sandbox.members[at] ?? '').react(general.id, id, '👍');
      await expect.poll(bot.top).toContain(`▲ ${at + 2}`);
      writeFileSync(offsetFile, '0');
      await expect.poll(() => said().match(/right again/g)?.length).toBe(at + 1);
    }
    expect(said()).not.toContain('Voting has ended');
    expect(sandbox.as(sandbox.admin).messages(ai.id)).toEqual([]);
    await run.end();
  },
  300_000,
);

// Withstands (Time): Discord’s dates are wrong
// → nothing closes or is posted until a message shows the time
test.runIf(isWhole)(
  'a date that is days ahead in every answer closes no article and posts no digest',
  async () => {
    const { sandbox, command } = bot;
    const { general, rust } = sandbox.channels;
    const offsetFile = join(bot.folder, 'clock');
    const first = await bot.startApp({ CLOCK_OFFSET_FILE: offsetFile });
    const { id } = await command('post', { link: 'https://news.example/dates', title: 'Dates' });
    const time = new Date(Date.now() - HOUR_MS).toISOString().slice(11, 16);
    await command('digest set', { channel: rust.id, time, timezone: 'UTC' });
    await first.end();
    const proxy = await startWrongDates(sandbox.apiBase, 8 * 24 * HOUR_MS);
    const { port } = proxy.address() as AddressInfo;
    const { said } = await bot.startApp({
      CLOCK_OFFSET_FILE: offsetFile,
      DISCORD_API_BASE: `http://127.0.0.1:${port}${new URL(sandbox.apiBase).pathname}`,
    });
    await expect.poll(said).toContain('no voting ends and no digest is posted');
    // The minute's work.
    const next = Math.floor(Date.now() / 60_000) + 1;
    await expect.poll(() => (Date.now() - 3000) / 60_000, twoMinutes).toBeGreaterThan(next);
    expect(sandbox.as(sandbox.admin).messages(rust.id)).toEqual([]);
    // The first command shows what time it is.
    await bot.top();
    sandbox.as(sandbox.members[3] ?? '').react(general.id, id, '👍');
    await expect.poll(bot.top).toContain('▲ 2');
    expect(said()).not.toContain('Voting has ended');
    proxy.close();
    proxy.closeAllConnections();
  },
  300_000,
);

/** Stands before Discord's API, and changes the dates of its answers. */
async function startWrongDates(apiBase: string, aheadMs: number): Promise<Server> {
  const { hostname, port } = new URL(apiBase);
  const proxy = createServer((asked, answer) => {
    const { method, url: path } = asked;
    const headers = { ...asked.headers, host: `${hostname}:${port}` };
    const passed = request({ hostname, port, method, path, headers }, (answered) => {
      const date = new Date(Date.now() + aheadMs).toUTCString();
      answer.writeHead(answered.statusCode ?? 500, { ...answered.headers, date });
      answered.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}
