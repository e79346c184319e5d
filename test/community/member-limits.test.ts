import { expect, test } from 'vitest';
import { openMemberLimits } from '../../src/community/member-limits.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';

test('a refused try is not counted, so an action that is taken back makes room at once', () => {
  const limits = openMemberLimits();
  const post = () => limits.count('post', '1', '2', 2);
  expect([post(), post()]).toEqual([0, 0]);
  expect(post()).toBeGreaterThan(0);
  expect(post()).toBeGreaterThan(0);
  limits.uncount('post', '1', '2');
  expect(post()).toBe(0);
});

test('a limit counts from the first action on, says when it is over, and begins anew then, for each member and server alone', () => {
  let nowMs = 1000;
  const limits = openMemberLimits(() => nowMs);
  const report = (guild = '1', member = '2') => limits.count('report', guild, member, 2);
  expect([report(), report('1', '3'), report('4')]).toEqual([0, 0, 0]);
  nowMs += 60_000;
  expect(report()).toBe(0);
  expect(report()).toBe(DAY_MS - 60_000);
  expect(limits.count('search', '1', '2', 2)).toBe(0);
  expect([report('1', '3'), report('4')]).toEqual([0, 0]);
  nowMs = 1000 + DAY_MS - 1;
  expect(report()).toBe(1);
  nowMs += 1;
  expect([report(), report()]).toEqual([0, 0]);
  expect(report()).toBe(DAY_MS);
});
