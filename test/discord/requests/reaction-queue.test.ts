import { afterEach, expect, test } from 'vitest';
import {
  CHANGES_OF_GUILD,
  openReactionQueue,
  type ReactionQueue,
} from '../../../src/discord/requests/reaction-queue.ts';

let queue: ReactionQueue;
afterEach(() => queue.stop());

test('guilds take turns, so that a flood in one delays no other', async () => {
  queue = openReactionQueue();
  const done: string[] = [];
  const add = (guild: string) =>
    queue.add(guild, async () => {
      done.push(guild);
    });
  for (let i = 0; i < 100; i += 1) add('flooded');
  add('calm');
  add('calm');
  await expect.poll(() => done).toContain('calm');
  expect(done.indexOf('calm')).toBeLessThanOrEqual(2);
  await expect.poll(() => done.lastIndexOf('calm') - done.indexOf('calm')).toBe(2);
});

test('a guild has a bounded number of changes, and another one has room beside it', () => {
  queue = openReactionQueue();
  const add = (guild: string) => queue.add(guild, async () => {});
  // The first begins at once.
  const taken = Array.from({ length: CHANGES_OF_GUILD + 20 }, () => add('flooded'));
  expect(taken.filter(Boolean)).toHaveLength(CHANGES_OF_GUILD + 1);
  expect(add('calm')).toBe(true);
});
