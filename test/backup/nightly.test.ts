import {
  chownSync,
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
import { cancelLeaving, noteGuilds, noteLeaving } from '../../src/community/known-guilds.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { sharedKeys } from '../../src/redis/store-keys.ts';
import { type Dump, load } from '../drills/stored-data/a-guild.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { type Database, GUILD, openDatabase } from './guild-file/guild-files.ts';

/** Twenty to three of the coming night: files have the machine's time. */
const BEFORE = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS + 2 * HOUR_MS + 40 * MINUTE_MS;
const STORED = 'test/drills/stored-data';

let server: TestRedis;
let database: Database;
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
  database = openDatabase(server.redis);
  await noteGuilds(database.store, [GUILD]);
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
    ...database,
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
  // The newest counts, of those that are kept.
  const earlier = join(folder, nameOf(BEFORE - DAY_MS));
  writeFileSync(earlier, '');
  utimesSync(earlier, made / 1000 - 86_400, made / 1000 - 86_400);
  expect(backupAgeSeconds(folder, { now: () => made + 5000 })).toBeCloseTo(5, 0);
  rmSync(earlier);
  await liveUntil(BEFORE + 12 * HOUR_MS);
  expect(statSync(file).mtimeMs).toBe(made);
  expect(readdirSync(folder)).toEqual([nameOf(BEFORE)]);
});

test('a backup holds a server that removed the bot lately, which may take it back', async () => {
  const { store } = database;
  await noteLeaving(store, GUILD, BEFORE);
  // The index of those that have the bot was damaged, and is made anew of these alone.
  await store.redis.del(sharedKeys(store).guilds);
  await liveUntil(BEFORE + HOUR_MS);
  const [found] = await checkGuildFiles(bytesOfFile(join(folder, nameOf(BEFORE))));
  expect(found).toMatchObject({ guild: GUILD });
  await cancelLeaving(store, GUILD);
  await noteGuilds(store, [GUILD]);
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
  const { store } = database;
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

test('a backup that another process is writing is left to that process, and nothing is told of it', async () => {
  const file = join(folder, nameOf(BEFORE));
  const rest = `${file}.1.partial`;
  const said = text().length;
  for (const one of [file, rest]) writeFileSync(one, '');
  const begunAtMs = BEFORE + 45 * MINUTE_MS;
  for (const one of [file, rest]) utimesSync(one, begunAtMs / 1000, begunAtMs / 1000);
  await liveUntil(BEFORE + HOUR_MS);
  expect(readdirSync(folder).sort()).toEqual([nameOf(BEFORE), `${nameOf(BEFORE)}.1.partial`]);
  expect(statSync(file).size).toBe(0);
  // Nor is it a fault where both begin in the same moment.
  rmSync(file);
  rmSync(rest);
  now = BEFORE + 50 * MINUTE_MS;
  const needs = { ...database, folder, clock, log, stopping: ending.signal };
  await Promise.all([makeNightly(needs), makeNightly(needs)]);
  expect(readdirSync(folder)).toEqual([nameOf(BEFORE)]);
  expect(text().slice(said)).not.toContain('could not be made');
  // What it is writing beside a whole file stays, and what it left an hour ago goes.
  writeFileSync(rest, '');
  utimesSync(rest, begunAtMs / 1000, begunAtMs / 1000);
  now = BEFORE + 50 * MINUTE_MS;
  rmSync(file);
  await makeNightly(needs);
  expect(readdirSync(folder)).toHaveLength(2);
  now += DAY_MS;
  await makeNightly(needs);
  expect(readdirSync(folder)).toEqual([nameOf(BEFORE), nameOf(BEFORE + DAY_MS)]);
});

test('a backup of a bot that is stopping, or of nothing, leaves no file and is no fault', async () => {
  const said = text().length;
  const stopped = new AbortController();
  now = BEFORE + 50 * MINUTE_MS;
  const needs = { ...database, folder, clock, log };
  stopped.abort();
  await makeNightly({ ...needs, stopping: stopped.signal });
  expect(readdirSync(folder)).toEqual([]);
  const { guilds } = sharedKeys(needs.store);
  await needs.store.redis.rename(guilds, `${guilds}-before`);
  await makeNightly({ ...needs, stopping: ending.signal });
  expect(readdirSync(folder)).toEqual([]);
  await noteGuilds(needs.store, ['700000000000000009']);
  await makeNightly({ ...needs, stopping: ending.signal });
  expect(readdirSync(folder)).toEqual([]);
  await needs.store.redis.rename(`${guilds}-before`, guilds);
  expect(text().slice(said)).toBe('');
});

test.runIf(process.getuid?.() === 0)(
  'a backup that root writes into the folder of a service belongs to the service',
  async () => {
    chownSync(folder, 4242, 4243);
    await liveUntil(BEFORE + HOUR_MS);
    const { uid, gid } = statSync(join(folder, nameOf(BEFORE)));
    expect([uid, gid]).toEqual([4242, 4243]);
  },
);
