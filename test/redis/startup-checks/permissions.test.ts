import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { checkServer } from '../../../src/redis/startup-checks/check-server.ts';
import {
  checkedCommands,
  findMissingPermissions,
} from '../../../src/redis/startup-checks/permissions.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

async function asUser<T>(rules: string[], work: (redis: TestRedis['redis']) => Promise<T>) {
  await server.redis.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>right', ...rules);
  const url = `redis+unix://limited:right@${server.url}`;
  const redis = connectRedis(url, { log: createLog('silent'), name: 'test' });
  const result = await work(redis);
  redis.disconnect();
  return result;
}

test.each([
  [['+@all', '~*', '&*']],
  [['+@all', '-@dangerous', '+info', '~frontpage:*', '&frontpage:*']],
])('a user with %j has all that is needed', async (rules) => {
  expect(await asUser(rules, findMissingPermissions)).toEqual([]);
  expect(await asUser(rules, checkServer)).toMatchObject({ status: 'accepted' });
});

test.each([
  [
    ['+@all', '~*', '&*', '-zadd', '-evalsha'],
    ['+zadd', '+evalsha'],
  ],
  [['+@all', '~*', '&*', '-info', '-hset'], ['+hset']],
  [['+@all', '~other:*', '&*'], ['~frontpage:*']],
  [['+@all', '~*'], ['&frontpage:*']],
  [
    ['+@all', '~*', '&*', '-@scripting'],
    ['+eval', '+evalsha'],
  ],
  [
    ['+@all', '~*', '&*', '-subscribe', '-scan'],
    ['+scan', '+subscribe'],
  ],
])('a user with %j lacks %j', async (rules, missing) => {
  const found = await asUser(rules, findMissingPermissions);
  expect(missing.filter((rule) => !found.includes(rule))).toEqual([]);
  const reason = expect.stringContaining(found.join(' ')) as string;
  expect(await asUser(rules, checkServer)).toMatchObject({ status: 'refused', reason });
});

test('the check leaves no key behind', async () => {
  await findMissingPermissions(server.redis);
  expect(await server.redis.dbsize()).toBe(0);
});

const src = join(import.meta.dirname, '../../../src');
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(lua|ts)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

test('every command of a script is checked, and every one that a module sends', async () => {
  const known = new Set((await server.redis.call('COMMAND', 'LIST')) as string[]);
  const used = new Set<string>();
  for (const { path, text } of sources) {
    // The private server belongs to us alone.
    if (path.startsWith('redis/private-server')) continue;
    const pattern = path.endsWith('.lua')
      ? /redis\.p?call\('(\w+)'/g
      : /(?:redis|pipeline|transaction|multi|node|batch)\??\s*\.(\w+)\(/g;
    for (const [, name = ''] of text.matchAll(pattern)) used.add(name.toLowerCase());
  }
  expect(used.size).toBeGreaterThan(30);
  const direct = 'eval evalsha script scan watch unwatch multi exec subscribe info ping client';
  const checked = new Set([
    ...checkedCommands.map((name) => name.toLowerCase()),
    ...direct.split(' '),
  ]);
  const unchecked = [...used].filter((name) => known.has(name) && !checked.has(name));
  expect(unchecked).toEqual([]);
});
