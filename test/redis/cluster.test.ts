import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitLoaded, connectRedis } from '../../src/redis/connection.ts';
import { deleteKeys } from '../../src/redis/scan.ts';
import { keepLoaded } from '../../src/redis/script.ts';
import { checkServer } from '../../src/redis/startup-checks/check-server.ts';
import { createLog } from '../../src/runtime/log.ts';
import { mastersOf, startTestCluster, type TestCluster } from '../fixtures/cluster.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

test('a cluster is taken by its start, and a script that is kept loaded is known to each of its servers', async () => {
  const log = createLog('silent');
  const redis = connectRedis(cluster.url, { log, name: 'test' });
  await awaitLoaded(redis, log);
  expect((await checkServer(redis)).version).toMatch(/^\d/);
  const lua = 'return 1';
  keepLoaded(redis, [Object.assign(async () => null, { lua })]);
  const digest = createHash('sha1').update(lua).digest('hex');
  const known = () =>
    Promise.all(mastersOf(redis).map(async (node) => node.script('EXISTS', digest)));
  await expect.poll(known).toEqual([[1], [1], [1]]);
  redis.disconnect();
});

test('what begins alike goes from whichever server of a cluster holds it', async () => {
  const { redis } = cluster;
  const tags = ['{1}', '{2}', '{3}', '{4}'];
  for (const tag of tags) {
    await redis.set(`frontpage:${tag}:a`, '1');
    await redis.set(`other:${tag}:a`, '1');
  }
  for (const tag of tags) await deleteKeys(redis, `frontpage:${tag}:`);
  const left = await Promise.all(mastersOf(redis).map(async (node) => node.keys('*')));
  expect(left.flat().toSorted()).toEqual(tags.map((tag) => `other:${tag}:a`));
});
