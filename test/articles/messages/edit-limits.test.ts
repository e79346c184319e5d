import { RateLimitError } from 'discord.js';
import { expect, test } from 'vitest';
import { EditsLimited, openEditLimits } from '../../../src/articles/messages/edit-limits.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { openTestClock } from '../../fixtures/test-clock.ts';

/** Discord's answer 30046, as discord.js throws it. */
const limit = new RateLimitError({
  ...{ timeToReset: 0, limit: 1, method: 'PATCH', hash: '', url: '', route: '' },
  ...{ majorParameter: '', global: false, sublimitTimeout: 0, scope: 'shared' },
  retryAfter: MINUTE_MS,
});

test('where Discord limits edits, a removal is asked as soon as Discord said, and other edits wait longer each time', async () => {
  const clock = openTestClock();
  const limits = openEditLimits(clock);
  const of = { id: snowflakeAt(clock.now() - 2 * HOUR_MS), channel: '300000000000000001' };
  const refused = () => limits.edit(of, () => Promise.reject(limit));
  for (const waitMs of [0, 2, 3, 5].map((minutes) => minutes * MINUTE_MS)) {
    clock.move(waitMs);
    await expect(refused()).rejects.toThrow(EditsLimited);
  }
  const removal = { ...of, isUrgent: true };
  expect([limits.isLimited(of), limits.isLimited(removal)]).toEqual([true, true]);
  clock.move(1.5 * MINUTE_MS);
  expect([limits.isLimited(of), limits.isLimited(removal)]).toEqual([true, false]);
  await limits.edit(removal, async () => {});
  expect(limits.isLimited(of)).toBe(false);
});
