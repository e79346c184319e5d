import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDataSetWatch } from '../../src/guilds/data-set.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { sharedKeys, storeKeys } from '../../src/redis/store-keys.ts';
import { memberSubject } from '../../src/community/block-subject.ts';
import { writeBlock } from '../../src/community/blocks.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
});
afterAll(() => scene.stop());

const older = new Map<string, Buffer>();

/** Keeps a copy of all keys, as an older volume would. */
beforeEach(async () => {
  const { redis } = scene.redis;
  await looked();
  older.clear();
  for (const key of await redis.keys('*')) older.set(key, await redis.dumpBuffer(key));
  scene.clock.move(2 * MINUTE_MS);
  await looked();
});

/** The bot has looked at the data by now. */
async function looked(): Promise<void> {
  const { store } = scene.bot;
  const now = scene.clock.now();
  scene.guilds.checkDataSet();
  const seen = async () => Number(await store.redis.hget(sharedKeys(store).dataSet, 'seen'));
  await expect.poll(seen).toBeGreaterThanOrEqual(now);
}

/** Puts the older data in the place of the newer in one step, as SWAPDB does. Returns its articles. */
async function exchange(): Promise<string[]> {
  const swap = scene.redis.redis.multi().flushall();
  for (const [key, value] of older) swap.restore(key, 0, value);
  // In the same step, since the bot may notice at once.
  swap.hkeys(guildKeys(scene.sandbox, scene.sandbox.guildId).articles);
  return (await swap.exec())?.at(-1)?.[1] as string[];
}

test('another data set under a living connection is noticed, and what it lacks is read from Discord', async () => {
  const { admin, members } = scene.sandbox;
  const article = await scene.post(admin);
  scene.react(members.find((id) => id !== admin)!, article, '👍');
  await scene.expectTally(article, 2, 0);
  expect(await exchange()).not.toContain(article);
  scene.guilds.checkDataSet();
  await scene.expectTally(article, 2, 0);
});

test('the settings that a process keeps are soon those of another data set', async () => {
  const { store, rules } = scene.bot;
  const guild = scene.sandbox.guildId;
  await writeSetting(store, guild, 'mark', 2);
  expect((await rules.refresh(guild)).settings.mark).toBe(2);
  await exchange();
  scene.guilds.checkDataSet();
  await expect.poll(async () => (await rules.read(guild)).settings.mark).toBeNull();
});

test('the blocks that a process keeps are soon those of another data set', async () => {
  const { store, rules } = scene.bot;
  const guild = scene.sandbox.guildId;
  await rules.reload(guild);
  const subject = memberSubject('1');
  const block = { subject, posting: true, voting: true, reason: '', by: '2', sinceMs: 0 };
  await writeBlock(store, guild, { ...block, untilMs: null });
  expect((await rules.refresh(guild, { block: subject })).blocks.size).toBe(1);
  await exchange();
  scene.guilds.checkDataSet();
  await expect.poll(async () => (await rules.read(guild)).blocks.size).toBe(0);
});

test('a data set that takes no writes for a while is not taken for another', async () => {
  const { store } = scene.bot;
  const { complete } = storeKeys(store, scene.sandbox.guildId);
  await expect.poll(() => store.redis.exists(complete)).toBe(1);
  // A recount that is due would wait for writes.
  await scene.settled();
  await store.redis.config('SET', 'maxmemory', '1');
  scene.guilds.checkDataSet();
  await scene.settled();
  await store.redis.config('SET', 'maxmemory', '0');
  expect(await store.redis.exists(complete)).toBe(1);
  await looked();
});

test('a data set that lost some seconds, as in a failover, is not taken for another', async () => {
  const { store } = scene.bot;
  const watch = openDataSetWatch(store, scene.clock);
  expect(await watch.isOther()).toBe(false);
  await store.redis.hincrby(sharedKeys(store).dataSet, 'seen', -MINUTE_MS / 2);
  expect(await watch.isOther()).toBe(false);
  await store.redis.hincrby(sharedKeys(store).dataSet, 'seen', -2 * MINUTE_MS);
  expect(await watch.isOther()).toBe(true);
  await store.redis.set(sharedKeys(store).dataSet, 'of another type');
  expect(await watch.isOther()).toBe(false);
  // What it stood in the place of is gone, and is noticed.
  expect(await watch.isOther()).toBe(true);
  expect(await watch.isOther()).toBe(false);
});

test('a process whose clock is behind does not make others take the data for another', async () => {
  const { store } = scene.bot;
  const [watch, behind] = [scene.clock, { now: () => scene.clock.now() - 5 * MINUTE_MS }].map(
    (clock) => openDataSetWatch(store, clock),
  );
  for (let round = 0; round < 2; round += 1) {
    expect([await watch!.isOther(), await behind!.isOther()]).toEqual([false, false]);
  }
});

test('a process shares the guilds of those whose shards are its own, or are counted otherwise, for three minutes', async () => {
  const { store } = scene.bot;
  const later = { ms: 0 };
  const clock = { now: () => scene.clock.now() + later.ms };
  const watchOf = (ids: number[], of: number) =>
    openDataSetWatch(store, clock, () => ({ ids, of }));
  // The bot of this scene has told of itself, too.
  later.ms = 4 * MINUTE_MS;
  const own = watchOf([0, 1], 4);
  const isShared = async () => {
    await own.isOther();
    return own.isShared();
  };
  expect(await isShared()).toBe(false);
  for (const [ids, of, shared] of [
    [[2, 3], 4, false],
    [[1, 2], 4, true],
    [[5], 6, true],
  ] as const) {
    const other = watchOf([...ids], of);
    await other.isOther();
    expect(await isShared()).toBe(shared);
    later.ms += 2 * MINUTE_MS;
    expect(await isShared()).toBe(shared);
    later.ms += 2 * MINUTE_MS;
    expect(await isShared()).toBe(false);
  }
  // What is over leaves nothing behind.
  const fields = await store.redis.hkeys(sharedKeys(store).dataSet);
  expect(fields.filter((field) => field.startsWith('process:'))).toHaveLength(1);
});
