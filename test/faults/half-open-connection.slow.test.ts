import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explain } from '../../src/explain.ts';
import { createLog } from '../../src/runtime/log.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { startBot } from '../../src/bot.ts';
import { within } from '../fixtures/own-time.ts';
import { startProxy } from '../fixtures/proxy.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ heartbeatMs: 500 });
});
afterAll(() => scene.stop());

// Withstands (Redis, while the bot runs): The connection to Redis is half-open
// → a command fails within 2 s
test('Redis behind a half-open connection fails a command within 2 s, and is reached again', async () => {
  const proxy = await startProxy({ path: scene.redis.url });
  const log = createLog('silent');
  const redis = connectRedis(`redis://127.0.0.1:${proxy.port}`, { log, name: 'half-open' });
  expect(await redis.ping()).toBe('PONG');
  proxy.freeze();
  expect(await within(2000, redis.ping().catch(String))).toContain('timed out');
  await expect.poll(() => redis.ping().catch(() => ''), { interval: 100 }).toBe('PONG');
  redis.disconnect();
  await proxy.stop();
});

// Withstands (Requests to Discord): Connections are half-open
// → a vote counts within a minute
test('a vote that came while the connections to Discord were half-open is counted', async () => {
  const { sandbox } = scene;
  const { port } = new URL(sandbox.world.address);
  const proxy = await startProxy({ port: Number(port), host: '127.0.0.1' });
  sandbox.world.address = `http://127.0.0.1:${proxy.port}`;
  sandbox.apiBase = `${sandbox.world.address}/api`;
  await scene.restartBot();
  const article = await scene.post(sandbox.admin);
  proxy.freeze();
  sandbox.as(sandbox.members[0] ?? '').react(sandbox.channels.general.id, article, '👍');
  // After a heartbeat without an answer, the library waits 30 s for the end of the connection.
  const long = { timeout: 120_000, interval: 50 };
  await expect.poll(() => scene.tally(article), long).toEqual([2, 0]);
  // A request on a frozen connection ends after 15 s, and the next try has a new one.
  const answer = await sandbox.as(sandbox.admin).command(sandbox.channels.general.id, 'top');
  expect(answer.message?.embeds).toHaveLength(1);
  await scene.bot.stop();
  await proxy.stop();
}, 200_000);

// Withstands (Requests to Discord): An answer stops in its middle
// → it is given up after 20 s
test('a start ends with a sentence when an answer stops in its middle', async () => {
  const { sandbox, redis, clock } = scene;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 });
    response.write('{"id":');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const log = createLog('silent');
  const connection = connectRedis(redis.url, { log, name: 'late' });
  const apiBase = `http://127.0.0.1:${port}/api`;
  const start = startBot({ token: sandbox.token, apiBase, redis: connection, clock, log });
  const fault: unknown = await within(
    30_000,
    start.catch((error: unknown) => error),
  );
  expect(explain(fault)?.message).toContain('Discord does not answer');
  connection.disconnect();
  server.closeAllConnections();
  server.close();
}, 60_000);
