import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../../src/runtime/log.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { checkServer } from '../../../src/redis/startup-checks/check-server.ts';
import {
  checkedCommands,
  findMissingPermissions,
} from '../../../src/redis/startup-checks/acl-permissions.ts';
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
  await asUser(rules, checkServer);
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
  [['+@all', '~*', '&*', '-exec'], ['+exec']],
  [['+@all', '~*', '&*', '-multi'], ['+multi']],
])('a user with %j lacks %j', async (rules, missing) => {
  const found = await asUser(rules, findMissingPermissions);
  expect(missing.filter((rule) => !found.includes(rule))).toEqual([]);
  const refused = asUser(rules, (redis) => checkServer(redis).catch((error: unknown) => error));
  const message = expect.stringContaining(found.join(' ')) as string;
  expect(await refused).toMatchObject({ code: 78, message });
});

test('the check leaves no key behind', async () => {
  await findMissingPermissions(server.redis);
  expect(await server.redis.keys('*permissions*')).toEqual([]);
});

const src = join(import.meta.dirname, '../../../src');
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(lua|ts)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

/** What our driver sends for a script, and what stands where the search below does not find it. */
const ofDriver = 'eval evalsha script subscribe zcount exec scan hscan sscan zscan'.split(' ');
/** The start's other checks say what is wrong without these. */
const ofOtherChecks = new Set(['info', 'ping']);

test('exactly the commands in use are checked: no more is asked of a user, and no less', async () => {
  const known = new Set((await server.redis.call('COMMAND', 'LIST')) as string[]);
  const used = new Set(ofDriver);
  for (const { path, text } of sources) {
    // The private server belongs to us alone, and the check itself uses nothing.
    if (path.startsWith('redis/private-server') || path.endsWith('permissions.ts')) continue;
    const pattern = path.endsWith('.lua')
      ? /'([A-Z]{3,})'/g // A script may choose its command first.
      : /(?:redis|pipeline|transaction|multi|node|batch|multi\(\)[^;]*)\??\s*\.(\w+)\(/g;
    for (const [, name = ''] of text.matchAll(pattern)) {
      const command = name.toLowerCase();
      if (known.has(command) && !ofOtherChecks.has(command)) used.add(command);
    }
  }
  expect(used.size).toBeGreaterThan(30);
  expect([...new Set(checkedCommands)].sort()).toEqual([...used].sort());
});
