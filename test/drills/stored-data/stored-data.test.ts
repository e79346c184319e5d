import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Line, VERSION, zLine } from '../../../src/backup/guild-file/format.ts';
import { guildKeyTypes } from '../../../src/ranking/keys.ts';
import { checkSchema, SCHEMA_VERSION } from '../../../src/redis/startup-checks/schema-version.ts';
import { sharedKeys, storeKeyTypes } from '../../../src/redis/store-keys.ts';
import { storedSchemas } from '../../../src/redis/stored.ts';
import { upgrades } from '../../../src/upgrades.ts';
import {
  type Database,
  empty,
  exported,
  markWhole,
  openDatabase,
  restored,
} from '../../backup/guild-file/guild-files.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';
import { dump, type Dump, fillGuild, load } from './a-guild.ts';
// All that is stored has told its shape when these are loaded.
import '../../../src/bot.ts';
import '../../../src/web/web.ts';

/** A folder for each version of the data: what Redis held, and a backup, as that version wrote them. */
const FOLDER = import.meta.dirname;
const versions = readdirSync(FOLDER)
  .filter((name) => /^\d+$/.test(name))
  .map(Number)
  .sort((a, b) => a - b);
const fileOf = (version: number, name: string) =>
  readFileSync(join(FOLDER, String(version), name), 'utf8');
const dumpOf = (version: number) => JSON.parse(fileOf(version, 'redis.json')) as Dump;

let server: TestRedis;
let database: Database;
beforeAll(async () => {
  server = await startTestRedis();
  database = openDatabase(server.redis);
});
afterAll(() => server.stop());
beforeEach(() => empty(database));

/** Fields that earlier versions wrote and that nothing is made of any more. */
const GONE = ['netVotes', 'shownUntilMs', 'secret'];

/** The lines of a guild's file in the form of today, without its header and its sum. */
function linesOf(file: string): Line[] {
  const lines = file.trimEnd().split('\n').slice(1, -1);
  return lines.map((line) => zLine.parse(JSON.parse(line)));
}

/** The names of all fields, however deep. */
function fieldsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/"([\w-]+)":/g)].map(([, name = '']) => name));
}

/**
 * A restored digest counts its slots from the time of the restore, of a removed article it is asked again whether all
 * see it, and a mark and a span that an admin fixed are the guild's, also where a guild of chance has another scale.
 */
function withoutNews(lines: Line[]): Line[] {
  const settings = lines.filter((line) => line.kind === 'setting');
  const fixed = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  return lines.map((line) => {
    if (line.kind === 'digest') return { ...line, digest: { ...line.digest, slotsFromMs: 0 } };
    if (line.kind === 'mark') {
      const { mark = line.mark, span: spanDays = line.spanDays } = fixed as Record<string, any>;
      return { ...line, mark, spanDays };
    }
    const isRemoved = line.kind === 'article' && line.removedAtMs !== undefined;
    return isRemoved ? { ...line, listed: false } : line;
  });
}

function inOrder(lines: Line[]): string[] {
  return lines.map((line) => JSON.stringify(line)).sort();
}

// Withstands (Damaged data): A newer Frontpage is started with the data, or restores a backup, of an earlier version
// → all of it is there
describe.each(versions)('data of version %i', (version) => {
  test(`data of version ${version} says what it said, whatever reads it now`, async () => {
    await load(server.redis, dumpOf(version));
    await checkSchema(database.store, upgrades);
    const { schema } = sharedKeys(database.store);
    expect(await server.redis.get(schema)).toBe(String(SCHEMA_VERSION));
    const before = fileOf(version, 'guild-file.jsonl');
    expect(linesOf(before).length).toBeGreaterThan(50);
    expect(inOrder(linesOf(await exported(database)))).toEqual(inOrder(linesOf(before)));
    // The form of today holds all that was written.
    const fields = fieldsIn(JSON.stringify(linesOf(before)));
    const lost = [...fieldsIn(before.trimEnd().split('\n').slice(1, -1).join())];
    expect(lost.filter((name) => !fields.has(name) && !GONE.includes(name))).toEqual([]);
  });

  test(`each value that version ${version} stored as JSON can be read`, () => {
    const read: string[] = [];
    const unreadable: string[] = [];
    for (const [key, { value }] of Object.entries(dumpOf(version))) {
      const name = key.replace(/^.*\}:/, '').replace(/:.*/, '');
      const fields = typeof value === 'string' ? { '': value } : value;
      for (const [field, json] of Object.entries(fields as object)) {
        const place = [`${name}.${field}`, name].find((one) => storedSchemas.has(one));
        if (place === undefined || typeof json !== 'string') continue;
        const { success } = storedSchemas.get(place)!.safeParse(JSON.parse(json));
        if (success) read.push(place);
        else unreadable.push(`${key} ${field}`);
      }
    }
    expect(unreadable).toEqual([]);
    expect(new Set(read).size).toBeGreaterThan(20);
  });

  test(`a backup of version ${version} is restored without a loss`, async () => {
    await markWhole(database);
    const file = fileOf(version, 'guild-file.jsonl');
    const fates = Object.values(await restored(database, file));
    expect(fates.reduce((sum, { left }) => sum + left, 0)).toBe(0);
    const found = withoutNews(linesOf(await exported(database)));
    expect(inOrder(found)).toEqual(inOrder(withoutNews(linesOf(file))));
  });

  // Withstands (Time): The bot is switched off for good
  // → who voted is gone from Redis five weeks after the first vote
  test(`who voted in data of version ${version} is swept some weeks after voting is over, also if the bot is off`, async () => {
    await load(server.redis, dumpOf(version));
    await checkSchema(database.store, upgrades);
    const sets = (await server.redis.keys('*')).filter((key) => /:(voters|older):\d+$/.test(key));
    expect(sets.length).toBeGreaterThan(0);
    const seconds = await Promise.all(sets.map((key) => server.redis.ttl(key)));
    expect(seconds.filter((left) => left < 7 * 86_400 || left > 35 * 86_400)).toEqual([]);
  });
});

function shapeOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { unrepresentable: 'any' });
}

/** The shapes of all that is stored, of a file's lines, and of what scripts write. */
function shapesOfNow(): Record<string, unknown> {
  const places = [...storedSchemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    keys: { ...guildKeyTypes, ...storeKeyTypes },
    values: Object.fromEntries(places.map(([place, schema]) => [place, shapeOf(schema)])),
    fileVersion: VERSION,
    lines: shapeOf(zLine),
  };
}

/** What a guild of today stores. How often changes were told is left to chance. */
async function dumpOfNow(): Promise<Dump> {
  await fillGuild(database);
  await database.ranking.changes.flush();
  const dumped = await dump(server.redis);
  for (const { value } of Object.values(dumped)) {
    if (typeof value === 'object' && value !== null && 'version' in value) value.version = '1';
  }
  return dumped;
}

const asText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

test('what is stored has the shapes of its version, of which there is data and a backup', async () => {
  const redis = await dumpOfNow();
  const now = {
    'redis.json': asText(redis),
    'guild-file.jsonl': await exported(database),
    'shapes.json': asText(shapesOfNow()),
  };
  const folder = join(FOLDER, String(SCHEMA_VERSION));
  if (!existsSync(folder)) {
    mkdirSync(folder);
    for (const [name, text] of Object.entries(now)) writeFileSync(join(folder, name), text);
    throw new Error(`${folder} is written: look at it, and commit it.`);
  }
  const changed = Object.entries(now).filter(
    ([name, text]) => fileOf(SCHEMA_VERSION, name) !== text,
  );
  if (changed.length === 0) return;
  console.error(whatToDo);
  expect(changed[0]![1]).toBe(fileOf(SCHEMA_VERSION, changed[0]![0]));
});

const whatToDo = `What is stored has another shape than version ${SCHEMA_VERSION} of the data.
If kept.json names a release of that version: raise SCHEMA_VERSION, give upgrades a way from ${SCHEMA_VERSION}, raise VERSION of the file if earlier programs refuse its lines, and run this again.
If none has it yet: delete ${join(FOLDER, String(SCHEMA_VERSION))}, and run this again.`;

const zKept = z.object({
  /** By the version of the data, the sum of what its folder holds. */
  sums: z.record(z.string(), z.string()),
  /** By the version of Frontpage, that of its data. */
  releases: z.record(z.string(), z.int()),
});
const kept = () => zKept.parse(JSON.parse(readFileSync(join(FOLDER, 'kept.json'), 'utf8')));

function sumOf(version: number): string {
  const sum = createHash('sha256');
  for (const name of ['redis.json', 'guild-file.jsonl']) sum.update(fileOf(version, name));
  return sum.digest('hex');
}

/** The versions of Frontpage that CHANGELOG.md has a date for. */
function releasesIn(changes: string): string[] {
  return [...changes.matchAll(/^## (\S+) \(20/gm)].map(([, version = '']) => version);
}

test('the data of a release, and that of each version before the one of today, is kept for ever as it was', () => {
  const { sums, releases } = kept();
  const closed = versions.filter((version) => version < SCHEMA_VERSION);
  const wanted = new Set([...closed, ...Object.values(releases)]);
  expect(wanted.size).toBeGreaterThan(0);
  expect(sums).toEqual(Object.fromEntries([...wanted].map((one) => [one, sumOf(one)])));
});

test('each release is noted with the version of its data', () => {
  const example = '## 0.2.0 (not released yet)\n\n## 0.1.0 (2026-12-01)\n\n### (2026-11-22)';
  expect(releasesIn(example)).toEqual(['0.1.0']);
  const { releases } = kept();
  const missing = releasesIn(readFileSync('CHANGELOG.md', 'utf8')).filter(
    (one) => !(one in releases),
  );
  if (missing.length > 0) {
    console.error(
      `Write into ${join(FOLDER, 'kept.json')}: in releases "${missing.join()}": ${SCHEMA_VERSION}, and in sums "${SCHEMA_VERSION}": "${sumOf(SCHEMA_VERSION)}".`,
    );
  }
  expect(missing).toEqual([]);
});
