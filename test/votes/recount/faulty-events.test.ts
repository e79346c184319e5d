import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomReactions, heardAll } from './random-reactions.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

// Withstands (The gateway): Events are lost, doubled and reordered
// → a full recount corrects all votes
test.each([1, 2])(
  'with events dropped, doubled and reordered, a full recount makes all votes right (seed %i)',
  async (seed) => {
    const articles = await scene.plant(scene.sandbox.channels.general.id, 8);
    const members = scene.crowd(60);
    const crowd = randomReactions(scene, seed, { articles, members });
    scene.sandbox.gateway.events.set({
      drop: 0.05,
      double: 0.05,
      reorder: 0.05,
      only: /^MESSAGE_REACTION_/,
    });
    crowd.react(2500);
    scene.sandbox.gateway.events.set(undefined);
    await heardAll(scene);
    expect(await scene.differences(articles)).not.toEqual([]);
    const report = await scene.recount({ full: true });
    expect(report).toMatchObject({ unread: [], hidden: [] });
    expect(report.added + report.removed + report.switched).toBeGreaterThan(0);
    expect(await scene.differences(articles)).toEqual([]);
    expect(await scene.recount({ full: true })).toMatchObject({
      added: 0,
      removed: 0,
      switched: 0,
    });
  },
);
