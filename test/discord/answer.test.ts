import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let general: string;
let links = 0;

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
});
afterAll(() => scene.stop());

const top = () => scene.sandbox.as(scene.sandbox.admin).command(general, 'top');
function post() {
  links += 1;
  const link = `https://answer.example/${links}`;
  return scene.sandbox.as(scene.sandbox.admin).command(general, 'post', { link });
}
/** The messages in #general, those that only one member sees included. */
const messages = () => scene.sandbox.channels.general.messages.size;

describe('an answer whose connection was cut', () => {
  test('before Discord had it is sent again', async () => {
    scene.sandbox.faults.add({ route: /callback/, cut: true, times: 3 });
    const { message } = await top();
    expect(message?.content).not.toContain('went wrong');
  });

  test('when Discord had it is left at that', async () => {
    scene.sandbox.faults.add({ route: /callback/, cut: true, afterTheWork: true, times: 1 });
    const before = messages();
    const { message } = await post();
    const id = message?.id ?? '';
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
    await scene.eventually(
      () => scene.sandbox.channels.general.messages.get(id)?.reactions.size,
      (count) => count === 2,
      'ready for votes',
    );
    expect(messages()).toBe(before + 1);
  });

  test('and that Discord failed to take is made up for by an excuse', async () => {
    // discord.js tries four times by itself.
    scene.sandbox.faults.add({ route: /callback/, status: 503, times: 4 });
    const { message } = await top();
    expect(message?.content).toContain('went wrong');
  });
});

test('an answer that another process gave already is no fault', async () => {
  const { sandbox } = scene;
  await scene.joinBot();
  const first = scene.bot;
  const before = messages();
  await Promise.all([top(), top(), top()]);
  const untilMs = performance.now() + 500;
  await scene.eventually(
    () => performance.now(),
    (now) => now > untilMs,
    'later',
  );
  expect(messages() - before).toBe(3);
  expect(sandbox.requests.count('POST', /callback/, 400)).toBeGreaterThan(0);
  await first.stop();
});
