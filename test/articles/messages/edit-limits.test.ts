import { RateLimitError } from 'discord.js';
import { expect, test } from 'vitest';
import { EditsLimited, openEditLimits } from '../../../src/articles/messages/edit-limits.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { openTestClock } from '../../fixtures/test-clock.ts';

/** Discord's answer 30046, as discord.js throws it. */
const limit = new RateLimitError({
  method: 'PATCH',
  retryAfter: MINUTE_MS,
  scope: 'shared',
  global: false,
  limit: 1,
  timeToReset: 0,
  sublimitTimeout: 0,
  hash: '',
  url: '',
  route: '',
  majorParameter: '',
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

test('an edit of a young message does not end the rest of the older ones in its channel', async () => {
  const clock = openTestClock();
  const limits = openEditLimits(clock);
  const channel = '300000000000000001';
  const older = { id: snowflakeAt(clock.now() - 2 * HOUR_MS), channel };
  await expect(limits.edit(older, () => Promise.reject(limit))).rejects.toThrow(EditsLimited);
  await limits.edit({ id: snowflakeAt(clock.now()), channel }, async () => {});
  expect(limits.isLimited(older)).toBe(true);
});
