import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { patience } from '../fixtures/patience.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let article: string;
beforeAll(async () => {
  scene = await startScene();
  scene.follow();
  article = await scene.post(scene.sandbox.admin, { title: 'Shown all the same' });
});
afterEach(async () => {
  await scene.redis.redis.config('SET', 'maxmemory', '0');
  await scene.redis.redis.call('REPLICAOF', 'NO', 'ONE');
});
afterAll(() => scene.stop());

describe('while Redis refuses writes, a list is read and a vote waits', () => {
  test.each([
    ['being full (-OOM)', () => scene.redis.redis.config('SET', 'maxmemory', '1')],
    ['as a replica (-READONLY)', () => scene.redis.redis.call('REPLICAOF', '127.0.0.1', '1')],
  ])('%s', async (_, refuse) => {
    const { sandbox } = scene;
    const before = (await scene.tally(article)) ?? [0, 0];
    const voter = sandbox.members[before[0]] ?? '';
    await refuse();
    sandbox.as(voter).react(sandbox.channels.general.id, article, '👍');
    const askedMs = performance.now();
    const { message } = await sandbox.as(voter).command(sandbox.channels.general.id, 'top');
    expect(JSON.stringify(message?.embeds)).toContain('Shown all the same');
    expect(performance.now() - askedMs).toBeLessThan(2000);
    expect(await scene.tally(article)).toEqual(before);
    await scene.redis.redis.config('SET', 'maxmemory', '0');
    await scene.redis.redis.call('REPLICAOF', 'NO', 'ONE');
    await expect.poll(() => scene.tally(article), patience).toEqual([before[0] + 1, before[1]]);
  });
});

test('one answer of 401 costs one request, not all that follow', async () => {
  const { sandbox } = scene;
  // Of this request alone: a recount may read meanwhile.
  sandbox.faults.add({ status: 401, times: 1, method: 'GET', route: /users/ });
  const { rest } = scene.bot.app.client;
  await expect(rest.get('/users/@me')).rejects.toMatchObject({ status: 401 });
  expect(await rest.get('/users/@me')).toMatchObject({ id: scene.bot.app.self });
});
