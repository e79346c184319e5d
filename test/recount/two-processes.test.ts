import { afterAll, beforeAll, expect, test } from 'vitest';
import { heardAll } from './damage.ts';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.stop());

test('two processes with one token leave the votes that one would', async () => {
  const [article = ''] = await stage.plant(stage.sandbox.channels.general.id);
  const members = stage.crowd(50);
  const first = stage.bot;
  await stage.joinBot();
  for (let round = 0; round < 3; round += 1) {
    for (const [n, member] of members.entries()) {
      const [shown, other] = (n + round) % 3 === 0 ? ['👎', '👍'] : ['👍', '👎'];
      // Some leave the older reaction where it is.
      if (n % 4 > 0) stage.unreact(member, article, other ?? '');
      stage.react(member, article, shown ?? '');
      if (n % 7 === round) stage.unreact(member, article, shown ?? '');
    }
  }
  await heardAll(stage);
  await stage.agree([article]);
  await first.stop();
  expect(await stage.recount({ full: true })).toMatchObject({ added: 0, removed: 0, switched: 0 });
});
