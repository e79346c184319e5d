import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/clock.ts';
import { patience } from '../fixtures/patience.ts';
import { useOneBot } from '../fixtures/one-bot.ts';

const bot = useOneBot();
const twoMinutes = { timeout: 120_000, interval: 100 };

test('a machine’s clock that jumps by days closes no article, posts no digest and drops no vote', async () => {
  const { sandbox, command } = bot;
  const { general, ai } = sandbox.channels;
  const offsetFile = join(bot.folder, 'clock');
  const { said } = await bot.startApp({ CLOCK_OFFSET_FILE: offsetFile });
  // An hour ago, so that an edition would be due after the jump.
  const time = new Date(Date.now() - HOUR_MS).toISOString().slice(11, 16);
  const set = await command('digest set', { channel: ai.id, time, timezone: 'UTC' });
  expect(set.said).toContain('Saved.');
  const { id } = await command('post', { link: 'https://news.example/jump', title: 'Jump' });
  for (const [at, days] of [8, -8].entries()) {
    writeFileSync(offsetFile, String(days * 24 * HOUR_MS));
    await expect.poll(() => said().match(/clock is wrong/g)?.length, patience).toBe(at + 1);
    // The minute's work runs once more: only ahead of time there would be something to close or post.
    const next = days > 0 ? Math.floor(Date.now() / 60_000) + 1 : 0;
    await expect.poll(() => (Date.now() - 3000) / 60_000, twoMinutes).toBeGreaterThan(next);
    sandbox.as(sandbox.members[at] ?? '').react(general.id, id, '👍');
    await expect.poll(bot.top, patience).toContain(`▲ ${at + 2}`);
    writeFileSync(offsetFile, '0');
    await expect.poll(() => said().match(/right again/g)?.length, patience).toBe(at + 1);
  }
  expect(said()).not.toContain('Voting has ended');
  expect(sandbox.as(sandbox.admin).messages(ai.id)).toEqual([]);
}, 300_000);
