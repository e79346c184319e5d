import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatherMob, heardAll } from './damage.ts';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

test.each([1, 2])(
  'with events dropped, doubled and reordered, a full recount makes all votes right (seed %i)',
  async (seed) => {
    const articles = await stage.plant(stage.sandbox.channels.general.id, 8);
    const members = stage.crowd(60);
    const mob = gatherMob(stage, seed, { articles, members });
    stage.sandbox.gateway.events.set({ drop: 0.05, double: 0.05, reorder: 0.05 });
    mob.react(2500);
    stage.sandbox.gateway.events.set(undefined);
    await heardAll(stage);
    expect(await stage.differences(articles)).not.toEqual([]);
    const report = await stage.recount({ full: true });
    expect(report).toMatchObject({ unread: [], hidden: [] });
    expect(report.added + report.removed + report.switched).toBeGreaterThan(0);
    expect(await stage.differences(articles)).toEqual([]);
    expect(await stage.recount({ full: true })).toMatchObject({
      added: 0,
      removed: 0,
      switched: 0,
    });
  },
);
