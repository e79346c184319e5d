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
    queue.add(guild, `${key}`, async () => {
      done.push(guild);
      return true;
    });
  for (let i = 0; i < 100; i += 1) add('flooded', i);
  add('calm', 1);
  add('calm', 2);
  await expect.poll(() => done).toContain('calm');
  expect(done.indexOf('calm')).toBeLessThanOrEqual(2);
  await expect.poll(() => done.lastIndexOf('calm') - done.indexOf('calm')).toBe(2);
});

test('a change that asks Discord nothing takes no turn', async () => {
  queue = openReactionQueue();
  const startedMs = performance.now();
  const done = await new Promise<number>((resolve) => {
    for (let i = 0; i < 500; i += 1) queue.add('guild', `${i}`, async () => false);
    queue.add('guild', 'last', async () => {
      resolve(performance.now());
      return true;
    });
  });
  // 500 turns would take two minutes.
  expect(done - startedMs).toBeLessThan(30_000);
});

test('a later change takes the place of a waiting one with its key, unless that is dropped', async () => {
  queue = openReactionQueue();
  const done: string[] = [];
  const add = (key: string, name: string) =>
    queue.add('guild', key, async () => {
      done.push(name);
      return true;
    });
  // The first begins at once.
  add('first', 'first');
  add('again', 'earlier');
  add('dropped', 'dropped');
  add('again', 'later');
  queue.drop('guild', 'dropped');
  add('last', 'last');
  await expect.poll(() => done).toContain('last');
  expect(done).toEqual(['first', 'later', 'last']);
});

test('a guild has a bounded number of changes, and another one has room beside it', () => {
  queue = openReactionQueue();
  const add = (guild: string, key: string) => {
    queue.add(guild, key, async () => true);
    return queue.has(guild, key);
  };
  add('flooded', 'begins at once');
  const taken = Array.from({ length: CHANGES_OF_GUILD + 20 }, (_, i) => add('flooded', `${i}`));
  expect(taken.filter(Boolean)).toHaveLength(CHANGES_OF_GUILD);
  expect(add('busy', 'begins later')).toBe(true);
});
