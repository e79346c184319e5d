import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBackup } from '../../../src/records/backup/backup.ts';
import { readLines, writeLines } from '../../../src/records/backup/lines.ts';
import { storeKeys } from '../../../src/redis/keys.ts';
import { checkBackup, writeBackup } from '../../../src/records/backup/restore-backup.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { startTestRedis, type TestRedis } from '../../private-redis.ts';

const APPLICATION = '1100000000000000001';
const GUILD = '700000000000000001';
const ID = '300000000000000001';
const NOW = Date.now();
const tag = `frontpage:${APPLICATION}:{${GUILD}}:`;

/** Who works at what, and what is made anew on use: nothing to save. */
const passing = [
  `${tag}lease:${ID}`,
  `${tag}front`,
  `${tag}filling`,
  `${tag}fill-lock`,
  `${tag}loudness`,
  `frontpage:${APPLICATION}:deploying`,
  `frontpage:${APPLICATION}:identify:${ID}`,
];

/** Every key of the schema's tables, with an id for each blank, to its type. */
function tabled(): Map<string, string> {
  const keys = new Map<string, string>();
  for (const file of ['src/ranking/keys.ts', 'src/redis/keys.ts']) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [, names, type = ''] = /^ \* \| (`[^|]+`) \| ([a-z ]+) \|/.exec(line) ?? [];
      for (const [, name = ''] of names?.matchAll(/`([^`]+)`/g) ?? []) {
        const key = name.replace('<application id>', APPLICATION).replace('…', tag);
        keys.set(key.replace(/<[^>]+>/g, ID), type);
      }
    }
  }
  return keys;
}

let from: TestRedis;
let to: TestRedis;
const folder = mkdtempSync(join(tmpdir(), 'frontpage-keys-'));
beforeAll(async () => {
  [from, to] = await Promise.all([startTestRedis(), startTestRedis()]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([from.stop(), to.stop()]);
});

test('the tables hold every key that the code spells', () => {
  const keys = tabled();
  for (const spelled of [guildKeys(APPLICATION, GUILD), storeKeys(APPLICATION, GUILD)]) {
    for (const [name, value] of Object.entries(spelled)) {
      if (name === 'changes') continue; // No key: where changes are published.
      const made: unknown = typeof value === 'function' ? value(ID, ID) : value;
      for (const key of [made].flat().map(String)) {
        // A prefix is followed by a day's number, or by an article.
        expect([...keys.keys()]).toContain(key.endsWith(':') ? key + ID : key);
      }
    }
  }
});

test('a backup holds every key of the tables but those that pass', async () => {
  const keys = tabled();
  expect(keys.size).toBeGreaterThan(50);
  for (const [key, type] of keys) {
    if (type === 'string') await from.redis.set(key, 'x');
    else if (type === 'hash') await from.redis.hset(key, 'field', 'x');
    else if (type === 'set') await from.redis.sadd(key, '1');
    else if (type === 'sorted set') await from.redis.zadd(key, 1, 'x');
    else throw new Error(`${key} is of no known type: ${type}`);
  }
  const file = join(folder, 'a.gz');
  await writeLines(file, readBackup(from.redis, NOW));
  await writeBackup(to.redis, readLines(file), await checkBackup(readLines(file)), NOW);
  const saved = new Set(await to.redis.keys('*'));
  expect([...keys.keys()].filter((key) => !saved.has(key)).sort()).toEqual([...passing].sort());
});
