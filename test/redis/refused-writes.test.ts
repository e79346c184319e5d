import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWriteWatch } from '../../src/redis/refused-writes.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

const sentences = (text: string) =>
  text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { msg: string }).msg]));

test.each<[string, RegExp, begin: string[], end: string[]]>([
  ['memory is full', /memory is full\. Raise/, ['maxmemory', '1'], ['maxmemory', '0']],
  [
    'replicas are away',
    /too few replicas/,
    ['min-replicas-to-write', '1'],
    ['min-replicas-to-write', '0'],
  ],
  ['user may not write', /lost a permission/, ['-hset'], ['+hset']],
])(
  'a host reads once why nothing is written while the %s, and once that it ended',
  async (_, why, begin, end) => {
    const { redis } = server;
    const { log, text } = recordLog();
    const watch = openWriteWatch(log);
    const write = () => watch.attempt(() => redis.hset('frontpage:test', 'field', '1'));
    const set = ([name, value]: string[]) =>
      value === undefined
        ? redis.acl('SETUSER', 'default', name!)
        : redis.config('SET', name!, value);
    await write();
    await set(begin);
    for (let n = 0; n < 3; n++) expect(await write()).toBe('refused');
    await set(end);
    expect(await write()).toEqual(expect.any(Number));
    await write();
    expect(sentences(text())).toEqual([expect.stringMatching(why), 'Redis takes writes again.']);
    expect(text()).not.toContain('stack');
  },
);

test('an error that is no refusal of a write is thrown on, and nothing is said', async () => {
  const { log, text } = recordLog();
  await server.redis.set('frontpage:text', 'a');
  const wrong = openWriteWatch(log).attempt(() => server.redis.hset('frontpage:text', 'a', '1'));
  await expect(wrong).rejects.toThrow('WRONGTYPE');
  expect(text()).toBe('');
});

const refuse = (message: string) => () => Promise.reject(new Error(message));

test.each([
  ['MISCONF Errors writing', /Free some space/],
  ['OOM command not allowed', /Raise its maxmemory/],
  ["READONLY You can't write", /Make it the master again/],
  ['NOREPLICAS Not enough', /Start them/],
  ['NOPERM this user', /names what is missing/],
  ['CLUSTERDOWN The cluster', /Start its nodes/],
])('of a Redis that answers “%s” a host reads what to do', async (answer, cure) => {
  const { log, text } = recordLog();
  const watch = openWriteWatch(log);
  expect(await watch.attempt(refuse(answer))).toBe('refused');
  expect(sentences(text())).toEqual([expect.stringMatching(cure)]);
  // Another reason is another sentence.
  const other = answer.startsWith('OOM') ? 'MISCONF' : 'OOM';
  for (let n = 0; n < 2; n += 1) await watch.attempt(refuse(`${other} too`));
  expect(sentences(text())).toHaveLength(2);
});
