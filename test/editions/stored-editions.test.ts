import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  EDITIONS_AT_MOST,
  listEditions,
  readEdition,
  writeEdition,
} from '../../src/editions/stored-editions.ts';
import { takeLease } from '../../src/redis/lease.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { RUST, startWebServer, type WebServer } from '../web/web-server.ts';

let server: WebServer;
beforeAll(async () => {
  server = await startWebServer();
});
afterAll(() => server.stop());

const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const editionOf = (day: number) => ({
  articles: [],
  rising: [],
  firstPosts: [],
  discussed: [],
  postedAtMs: day * DAY_MS,
  fromMs: (day - 1) * DAY_MS,
  channel: RUST,
  message: null,
  isPublic: true,
});

test('an edition that is recorded once more without a claim stays what it was', async () => {
  const { store } = server;
  const guild = server.newGuild();
  const of = { name: 'daily', date: dateOf(5) };
  const shown = [{ id: '5', net: 3, replies: 0 }];
  await writeEdition(store, guild, of, { ...editionOf(5), articles: shown });
  const again = { ...editionOf(5), isPublic: false, postedAtMs: editionOf(9).postedAtMs };
  await writeEdition(store, guild, of, again);
  const found = await readEdition(store, guild, of);
  expect(found).toMatchObject({ articles: shown, isPublic: true });
  // Its place among the others is that of its time, too.
  await writeEdition(store, guild, { name: 'daily', date: dateOf(7) }, editionOf(7));
  const dates = (await listEditions(store, guild)).map(({ date }) => date);
  expect(dates).toEqual([dateOf(7), dateOf(5)]);
});

test('an edition takes the place of one recorded before by who holds the claim, and of no one who lost it', async () => {
  const { store } = server;
  const guild = server.newGuild();
  const of = { name: 'daily', date: dateOf(5) };
  const now = server.clock.now();
  const key = storeKeys(store, guild).claim(of.name, of.date);
  const taken = await takeLease(store, { key }, now);
  if (taken.status !== 'taken') throw new Error('Somebody else has it.');
  const { lease } = taken;
  const shown = async () => (await readEdition(store, guild, of))?.articles.map(({ id }) => id);
  const write = (id: string, token: string) => {
    const edition = { ...editionOf(5), articles: [{ id, net: 3, replies: 0 }] };
    return writeEdition(store, guild, of, edition, { lease: { ...lease, token }, now });
  };
  expect(await write('5', 'of another process')).toBe(false);
  expect(await shown()).toBeUndefined();
  expect(await write('6', lease.token)).toBe(true);
  expect(await write('7', lease.token)).toBe(true);
  expect(await write('8', 'of another process')).toBe(false);
  expect(await shown()).toEqual(['7']);
});

test('the editions of one digest are listed without those of another one, the newest first', async () => {
  const { store } = server;
  const guild = server.newGuild();
  for (const [name, day] of [
    ['daily', 5],
    ['weekly', 6],
    ['daily', 7],
  ] as const) {
    await writeEdition(store, guild, { name, date: dateOf(day) }, editionOf(day));
  }
  const dates = async (only?: string) =>
    (await listEditions(store, guild, only === undefined ? {} : { only })).map(({ date }) => date);
  expect(await dates('daily')).toEqual([dateOf(7), dateOf(5)]);
  expect(await dates('weekly')).toEqual([dateOf(6)]);
  expect(await dates()).toEqual([dateOf(7), dateOf(6), dateOf(5)]);
});

test('beyond thousands of editions the oldest of that digest go, and no other digest’s', async () => {
  const { store } = server;
  const guild = server.newGuild();
  const keys = storeKeys(store, guild);
  const write = (name: string, day: number) =>
    writeEdition(store, guild, { name, date: dateOf(day) }, editionOf(day));
  await write('weekly', 1);
  const full = store.redis.pipeline();
  for (let day = 10; day < 10 + EDITIONS_AT_MOST; day += 1) {
    full.hset(keys.editions('daily'), dateOf(day), JSON.stringify(editionOf(day)));
    full.zadd(keys.editionList, day * DAY_MS, `daily:${dateOf(day)}`);
  }
  await full.exec();
  const newest = 10 + EDITIONS_AT_MOST;
  await write('daily', newest);
  await write('daily', newest);
  expect(await store.redis.hlen(keys.editions('daily'))).toBe(EDITIONS_AT_MOST);
  expect(await store.redis.zcard(keys.editionList)).toBe(EDITIONS_AT_MOST + 1);
  const read = (name: string, day: number) =>
    readEdition(store, guild, { name, date: dateOf(day) });
  expect(await read('daily', 10)).toBeNull();
  expect(await read('daily', 11)).not.toBeNull();
  expect(await read('weekly', 1)).not.toBeNull();
  const [first] = await listEditions(store, guild, { only: 'daily', most: 1 });
  expect(first?.date).toBe(dateOf(newest));
});
