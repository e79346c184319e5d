import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { within } from '../fixtures/own-time.ts';
import { startProxy } from '../fixtures/proxy.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ heartbeatMs: 500 });
});
afterAll(() => scene.stop());

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
