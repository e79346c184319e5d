import type { Guild } from 'discord.js';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openUpkeep } from '../../src/guilds/upkeep.ts';
import { openRebuildWatch } from '../../src/history/rebuild/rebuild-watch.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

/** Nothing is known of these guilds but their ids, as after Redis was emptied. */
const guildOf = (at: number) => ({ id: String(9_000_000 + at) }) as Guild;
const GUILDS = Array.from({ length: 12 }, (_, at) => guildOf(at));

let scene: Scene;
let upkeep: ReturnType<typeof openUpkeep>;
const done = async () => {};
beforeAll(async () => {
  scene = await startScene();
  const { bot } = scene;
  const needs = { ...bot, recount: () => {}, refresh: done, erase: done };
  upkeep = openUpkeep(needs, openRebuildWatch(needs));
});
afterEach(() => {
  vi.useRealTimers();
  scene.bot.ranking.suspects.clear();
});
afterAll(() => scene.stop());

const seconds = (count: number) => vi.advanceTimersByTime(count * 1000);

const leaseOf = ({ id }: Guild) => storeKeys(scene.bot.store, id).lease('check');

test('a start with many guilds checks the keys of eight at a time', async () => {
  const monitor = await scene.redis.redis.monitor();
  const leases = new Set(GUILDS.map(leaseOf));
  const running = new Set<string>();
  const ended = new Set<string>();
  let most = 0;
  monitor.on('monitor', (_: string, [command = '', , keys = '', key = '']: string[]) => {
    if (!/^eval/i.test(command) || !leases.has(key)) return;
    // A lease is taken by a script of one key, and ended by one of two.
    if (keys === '1') running.add(key);
    else if (running.delete(key)) ended.add(key);
    most = Math.max(most, running.size);
  });
  try {
    await Promise.all(GUILDS.map((one) => upkeep.check(one)));
    await expect.poll(() => ended.size).toBe(GUILDS.length);
    expect(most).toBe(8);
  } finally {
    monitor.disconnect();
  }
});

test('a guild that could not be checked is checked once more after ten seconds, however many asked', async () => {
  const { suspects } = scene.bot.ranking;
  const guild = guildOf(100);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // Without a ranking, it cannot be.
  await upkeep.check(guild);
  seconds(4);
  await upkeep.check(guild);
  seconds(5);
  expect(suspects).toEqual(new Set());
  seconds(1);
  expect(suspects).toEqual(new Set([guild.id]));
  suspects.clear();
  seconds(9);
  expect(suspects).toEqual(new Set());
});

test('a guild whose visit has not ended is not visited by the next minute', async () => {
  const guild = guildOf(101);
  scene.redis.pause();
  const visit = upkeep.visit(guild);
  visit.catch(() => {});
  try {
    await expect(upkeep.visit(guild)).resolves.toBeUndefined();
  } finally {
    scene.redis.resume();
  }
  await Promise.allSettled([visit]);
});
