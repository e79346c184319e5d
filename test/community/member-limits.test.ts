import { expect, test } from 'vitest';
import { openMemberLimits } from '../../src/community/member-limits.ts';

test('a refused try is not counted, so an action that is taken back makes room at once', () => {
  const limits = openMemberLimits();
  const post = () => limits.count('post', '1', '2', 2);
  expect([post(), post()]).toEqual([0, 0]);
  expect(post()).toBeGreaterThan(0);
  expect(post()).toBeGreaterThan(0);
  limits.uncount('post', '1', '2');
  expect(post()).toBe(0);
});
