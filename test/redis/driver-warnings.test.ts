import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { openDriverWarnings } from '../../src/redis/driver-warnings.ts';
import { checkServer } from '../../src/redis/startup-checks/check-server.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

/** What a host reads while the bot connects three times to an address. */
async function saidAt(url: string): Promise<{ text: string; warnings: string[] }> {
  const { log, text } = recordLog();
  const spy = vi.spyOn(console, 'warn').mockImplementation(openDriverWarnings(log));
  const connections = [1, 2, 3].map(() => connectRedis(url, { log, name: 'test' }));
  try {
    const checked = await Promise.all(connections.map((redis) => checkServer(redis)));
    return { text: text(), warnings: checked[0]!.warnings };
  } finally {
    for (const redis of connections) redis.disconnect();
    spy.mockRestore();
  }
}

test('a warning of the driver is told once, not at each connection', () => {
  const { log, text } = recordLog();
  const warn = openDriverWarnings(log);
  for (const other of ['', '', ' 2'])
    warn(`[WARN] Redis server does not require a password${other}`);
  expect(text().match(/"msg":"Redis server does not require a password/g)).toHaveLength(2);
});

test('a user that may not call INFO is told in the bot’s words alone', async () => {
  await server.redis.acl('SETUSER', 'someone', 'on', '>right', '~*', '&*', '+@all', '-info');
  const { text, warnings } = await saidAt(`redis+unix://someone:right@${server.url}`);
  await server.redis.acl('DELUSER', 'someone');
  expect(warnings).toEqual([expect.stringContaining('permit INFO')]);
  expect(text).toBe('');
});
