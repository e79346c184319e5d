import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { isWhole } from '../../fixtures/sample.ts';
import { setSetting } from '../../fixtures/set-setting.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  await setSetting(scene.sandbox, 'discussion', ['true']);
});
afterAll(() => scene.stop());

// Withstands (Attacks): Discord's limit of renames keeps the title of a removed article in its thread's name
// → the next minutes try again
test.runIf(isWhole)(
  'the thread of a removed article that Discord did not let be renamed loses its title soon after',
  async () => {
    const { sandbox } = scene;
    const [member = ''] = sandbox.members;
    const id = await scene.post(member, { title: 'A regretted title' });
    const name = () => sandbox.world.channels.get(id)?.name;
    await expect.poll(name).toBe('A regretted title');
    const route = /^\/channels\/:\w+$/;
    sandbox.faults.add({ method: 'PATCH', route, status: 429, retryAfterSeconds: 600, times: 1 });
    await sandbox.as(member).command(sandbox.channels.general.id, 'me remove', { article: id });
    await expect.poll(() => sandbox.requests.count('PATCH', route, 429)).toBe(1);
    expect(name()).toBe('A regretted title');
    await expect.poll(name, { timeout: 90_000 }).toBe('Removed article');
  },
);
