import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkGuildFiles } from '../../src/backup/guild-file/read.ts';
import { backupAgeSeconds, makeNightly } from '../../src/backup/nightly.ts';
import { bytesOfFile } from '../../src/backup/private-file.ts';
import { noteGuilds } from '../../src/community/known-guilds.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { sharedKeys } from '../../src/redis/store-keys.ts';
import { type Dump, load } from '../drills/stored-data/a-guild.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { GUILD, openDatabase } from './guild-file/guild-files.ts';

/** Twenty to three of the coming night: files have the machine's time. */
const BEFORE = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS + 2 * HOUR_MS + 40 * MINUTE_MS;
const STORED = 'test/drills/stored-data';

let server: TestRedis;
let folder: string;
let now: number;
const ending = new AbortController();
const { log, text } = recordLog();
const clock = { now: () => now };
const nameOf = (atMs: number) =>
  `frontpage-nightly-${new Date(atMs).toISOString().slice(0, 10)}.backup.gz`;

beforeAll(async () => {
  server = await startTestRedis();
  const [newest = ''] = readdirSync(STORED)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => +b - +a);
  await load(
    server.redis,
    JSON.parse(readFileSync(join(STORED, newest, 'redis.json'), 'utf8')) as Dump,
  );
  await noteGuilds(openDatabase(server.redis).store, [GUILD]);
});
afterAll(() => server.stop());
beforeEach(() => {
  now = BEFORE;
  folder = mkdtempSync(join(tmpdir(), 'frontpage-nightly-'));
  return () => rmSync(folder, { recursive: true });
});

/** What the minute's work does until then. */
async function liveUntil(untilMs: number, place = folder): Promise<void> {
  const needs = {
    ...openDatabase(server.redis),
    folder: place,
    clock,
    log,
    stopping: ending.signal,
  };
  for (; now <= untilMs; now += 10 * MINUTE_MS) await makeNightly(needs);
  now = untilMs;
}

test('a backup is made at half past three, once a night, and can be read back', async () => {
  await liveUntil(BEFORE + 40 * MINUTE_MS);
  expect(readdirSync(folder)).toEqual([]);
  await liveUntil(BEFORE + HOUR_MS);
  const file = join(folder, nameOf(BEFORE));
  const [found] = await checkGuildFiles(bytesOfFile(file));
  expect(found?.articles).toBeGreaterThan(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(text()).toContain('The backup of the night is made.');
  expect(backupAgeSeconds(folder, { now: () => statSync(file).mtimeMs + 5000 })).toBeCloseTo(5, 0);
  const made = statSync(file).mtimeMs;
  await liveUntil(BEFORE + 12 * HOUR_MS);
  expect(statSync(file).mtimeMs).toBe(made);
  expect(readdirSync(folder)).toEqual([nameOf(BEFORE)]);
});

test('the newest seven backups are kept, and files of other names stay', async () => {
  for (let nights = 1; nights <= 9; nights += 1) {
    writeFileSync(join(folder, nameOf(BEFORE - nights * DAY_MS)), 'x');
  }
  const others = ['frontpage-2026-11-26-03-30-00.backup.gz', 'notes.txt'];
  for (const name of others) writeFileSync(join(folder, name), 'x');
  await liveUntil(BEFORE + HOUR_MS);
  const kept = [6, 5, 4, 3, 2, 1, 0].map((nights) => nameOf(BEFORE - nights * DAY_MS));
  expect(readdirSync(folder).sort()).toEqual([...others, ...kept].sort());
});

test('a backup that cannot be made is told, and made an hour later', async () => {
  const place = join(folder, 'place');
  writeFileSync(place, '');
  await liveUntil(BEFORE + HOUR_MS, place);
  expect(text()).toContain('The backup of the night could not be made');
  expect(backupAgeSeconds(place, clock)).toBeNull();
  rmSync(place);
  await liveUntil(BEFORE + 2 * HOUR_MS, place);
  expect(readdirSync(place)).toEqual([nameOf(BEFORE)]);
});

test('a backup that cannot be read back is none, and is made an hour later', async () => {
  const { store } = openDatabase(server.redis);
  // The list of guilds is damaged: a file of such a guild is refused.
  await noteGuilds(store, ['nowhere']);
  await liveUntil(BEFORE + HOUR_MS);
  expect(readdirSync(folder)).toEqual([]);
  await store.redis.srem(sharedKeys(store).guilds, 'nowhere');
  await liveUntil(BEFORE + 2 * HOUR_MS);
  expect(readdirSync(folder)).toEqual([nameOf(BEFORE)]);
});

test('what a process that died over its backup has left is replaced', async () => {
  const file = join(folder, nameOf(BEFORE));
  const rest = join(folder, `${nameOf(BEFORE)}.1.partial`);
  for (const one of [file, rest]) {
    writeFileSync(one, '');
    utimesSync(one, BEFORE / 1000 - 7200, BEFORE / 1000 - 7200);
  }
  expect(backupAgeSeconds(folder, clock)).toBeNull();
  await liveUntil(BEFORE + HOUR_MS);
  expect(readdirSync(folder)).toEqual([nameOf(BEFORE)]);
  expect(statSync(file).size).toBeGreaterThan(0);
});
