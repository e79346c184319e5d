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
  const add = (guild: string, key: number) =>
    queue.add(guild, `${key}`, async () => void done.push(guild));
  for (let i = 0; i < 100; i += 1) add('flooded', i);
  add('calm', 1);
  add('calm', 2);
  await expect.poll(() => done).toContain('calm');
  expect(done.indexOf('calm')).toBeLessThanOrEqual(2);
  await expect.poll(() => done.lastIndexOf('calm') - done.indexOf('calm')).toBe(2);
});

test('a later change takes the place of a waiting one with its key', async () => {
  queue = openReactionQueue();
  const done: string[] = [];
  const add = (key: string, name: string) =>
    queue.add('guild', key, async () => void done.push(name));
  // The first begins at once.
  add('first', 'first');
  add('again', 'earlier');
  add('again', 'later');
  add('last', 'last');
  await expect.poll(() => done).toContain('last');
  expect(done).toEqual(['first', 'later', 'last']);
});

test('a guild has a bounded number of changes, and another one has room beside it', () => {
  queue = openReactionQueue();
  const add = (guild: string, key: string) => queue.add(guild, key, async () => {});
  add('flooded', 'begins at once');
  const taken = Array.from({ length: CHANGES_OF_GUILD + 20 }, (_, i) => add('flooded', `${i}`));
  expect(taken.filter(Boolean)).toHaveLength(CHANGES_OF_GUILD);
  expect(add('flooded', '0')).toBe(true);
  expect(add('busy', 'begins later')).toBe(true);
});
