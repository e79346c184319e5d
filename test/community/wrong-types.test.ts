import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { guildKeys, guildKeyTypes } from '../../src/ranking/keys.ts';
import { readWebSettings } from '../../src/web/web-settings.ts';
import { setAsideWrongTypes } from '../../src/community/known-guilds.ts';
import { storeKeys, storeKeyTypes } from '../../src/redis/store-keys.ts';
import type { Store } from '../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

const guild = '300000000000000001';
const keys = storeKeys({ applicationId: '1' }, guild);
const names = Object.keys(storeKeyTypes) as (keyof typeof storeKeyTypes)[];

let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '1', log: createLog('silent') };
});
afterAll(() => server.stop());

test.each(names)('%s of a wrong type is set aside', async (name) => {
  const { redis } = server;
  if (storeKeyTypes[name] === 'string') await redis.hset(keys[name], 'not', 'what it was');
  else await redis.set(keys[name], 'not what it was');
  expect(await setAsideWrongTypes(store, guild)).toEqual({ [name]: `${keys[name]}:damaged` });
  expect(await redis.exists(keys[name])).toBe(0);
  expect(await readWebSettings(store, guild)).toMatchObject({ open: false });
  await redis.flushall();
});

test('keys of their own types stay', async () => {
  const { redis } = server;
  const write = {
    hash: (key: string) => redis.hset(key, 'a', '1'),
    set: (key: string) => redis.sadd(key, 'a'),
    zset: (key: string) => redis.zadd(key, 1, 'a'),
    string: (key: string) => redis.set(key, 'a'),
  };
  for (const name of names) await write[storeKeyTypes[name]](keys[name]);
  expect(await setAsideWrongTypes(store, guild)).toEqual({});
  expect(await redis.dbsize()).toBe(names.length);
});

/** The types of the first table in a file, by the end of the key. A key with an id in it is left out. */
function documentedTypes(file: string): Record<string, string> {
  const text = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8');
  const types: Record<string, string> = {};
  for (const [, cell = '', type = ''] of text.matchAll(/^ \* \| (`…[^|]+) \| ([a-z ]+) \|/gm)) {
    for (const [, end = ''] of cell.matchAll(/`…([a-z-]+)`/g)) {
      types[end] = type === 'sorted set' ? 'zset' : type;
    }
  }
  return types;
}

test.each([
  ['redis/store-keys.ts', keys, storeKeyTypes],
  ['ranking/keys.ts', guildKeys({ applicationId: '1' }, guild), guildKeyTypes],
])('each key of %s has the type that the table says', (file, all, types) => {
  const written = Object.entries(types).map(([name, type]) => {
    const key = String(Reflect.get(all, name));
    return [key.slice(key.lastIndexOf(':') + 1), type];
  });
  expect(Object.fromEntries(written)).toEqual(documentedTypes(file));
});
