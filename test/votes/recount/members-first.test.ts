import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { within } from '../../fixtures/own-time.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ rateLimits: true });
});
afterAll(() => scene.stop());

test('members are answered at once while a recount uses all that it may', async () => {
  const { sandbox } = scene;
  const { general, rust, ai } = sandbox.channels;
  const crowd = scene.crowd(5);
  for (const channel of [general, rust, ai]) {
    const ids = await scene.plant(channel.id, 60);
    scene.secretly(() => {
      for (const id of ids) for (const member of crowd) scene.react(member, id, '👍');
    });
  }
  sandbox.requests.reset();
  let over = false;
  const recount = scene.recount({ full: true }).finally(() => {
    over = true;
  });
  await sandbox.until(() => sandbox.requests.count('GET') > 10 || undefined, 'it to begin');
  let rounds = 0;
  for (let n = 0; n < 5; n += 1) {
    const link = `https://members.example/${n}`;
    await within(5000, sandbox.as(sandbox.admin).command(general.id, 'top', {}));
    await within(5000, sandbox.as(sandbox.members[n] ?? '').command(rust.id, 'post', { link }));
    if (over) break;
    rounds += 1;
  }
  expect(rounds).toBeGreaterThan(0);
  // Nothing that was asked for was too much.
  expect(sandbox.requests.count('GET', undefined, 429)).toBe(0);
  await scene.bot.stop();
  await recount;
});
