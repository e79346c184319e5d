import { afterEach, test } from 'vitest';
import { sharedKeys } from '../../src/redis/store-keys.ts';
import {
  allDigests,
  bringUp,
  fullRecount,
  killAndStart,
  moment,
  postEverywhere,
  setDigests,
  slotMs,
} from './steps.ts';
import { type Drill, startDrill } from './drill.ts';
import { expectNoHarm, linesOf, textOf } from './checks.ts';
import { isWhole } from '../fixtures/sample.ts';

const GUILDS = 36;
let drill: Drill | undefined;
afterEach(async ({ task }) => {
  await drill?.stop();
  if (task.result?.state !== 'fail' || !drill) return;
  const faults = drill.everyBot.flatMap(linesOf).filter(({ level }) => level >= 40);
  console.log([...drill.told, ...faults.map(textOf)].join('\n'));
});

// Withstands (Redis, while the bot runs): A master of a cluster dies with a process
// → every tally is right again
test.runIf(isWhole)(
  'a master and a process die while votes and digests go on, and in the end all is as Discord says',
  async () => {
    const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
    console.log(`Seed ${seed}: FC_SEED=${seed} plays this again.`);
    drill = await startDrill({
      seed,
      guilds: GUILDS,
      shards: ['0-1', '2-3'],
      shardCount: 4,
      members: 12,
    });
    const { guilds, cluster, sandbox } = drill;
    await bringUp(drill);
    drill.tell('All rankings are whole.');
    await postEverywhere(drill, 'first');
    const digests = await setDigests(drill, { count: GUILDS / 3, slots: 2 });
    drill.tell('Articles and digests are there.');
    const voting = guilds.startVoting(200);

    // Kill the master that has the key of due digests.
    await drill.goTo(slotMs(drill, 0));
    await moment(drill, 500);
    const failOver = cluster.failOver(sharedKeys(sandbox).guilds);
    await drill.goTo(slotMs(drill, 1));
    // A start ends where Redis is away, and the host would try again.
    await killAndStart(drill, drill.random.below(2), { withinMs: 1000, after: failOver });
    const over = await failOver;
    drill.tell(`A master was failed over in ${Math.round(over.tookMs)} ms.`);
    await over.restart();
    await allDigests(drill, digests);
    drill.tell(`${voting.stop()} votes, and all digests are posted.`);
    await fullRecount(drill);
    drill.tell('All votes are right.');
    await expectNoHarm(drill, digests);
  },
  300_000,
);
