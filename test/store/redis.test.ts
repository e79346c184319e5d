import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestRedis, type TestRedis } from '../redis.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

test('what was acknowledged is still there after the server was killed', async () => {
  await server.redis.set('key', 'value');
  await server.restart();
  expect(await server.redis.get('key')).toBe('value');
});
