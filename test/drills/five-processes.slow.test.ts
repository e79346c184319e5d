import { afterEach, expect, test } from 'vitest';
import { allDigests, bringUp, fullRecount, setDigests, slotMs, postEverywhere } from './steps.ts';
import { type Drill, startDrill } from './drill.ts';
import { expectNoHarm } from './checks.ts';
import { isWhole } from '../fixtures/sample.ts';

let drill: Drill | undefined;
afterEach(() => drill?.stop());

/**
 * Five sessions may begin at a time. Discord's pace is 5 s and the bot's 6: on a busy machine a request
 * may come later by more than a second.
 */
const identifies = { concurrency: 5, everyMs: 3000 };
const GUILDS = 20;

test.runIf(isWhole)(
  'five processes share ten shards at the pace of Discord, and what one may do is done once',
  async () => {
    drill = await startDrill({
      seed: 5,
      guilds: GUILDS,
      shards: ['0-1', '2-3', '4-5', '6-7', '8-9'],
      shardCount: 10,
      members: 4,
      identifies,
    });
    const { guilds, sandbox } = drill;
    await bringUp(drill);
    const begun = sandbox.gateway.identifies;
    expect(begun.filter(({ tooSoon }) => tooSoon)).toEqual([]);
    const shards = begun.map(({ shard }) => shard).toSorted((a, b) => a - b);
    expect(shards).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await postEverywhere(drill, 'first');
    const digests = await setDigests(drill, { count: GUILDS, slots: 1 });

    // By mistake a sixth process has the shards of two others. All look for due digests at the same time.
    await (await drill.start(5, '1-2')).isOn();
    const voting = guilds.startVoting(100);
    await drill.goTo(slotMs(drill, 0));
    await allDigests(drill, digests);
    voting.stop();
    await fullRecount(drill);
    expect(begun.filter(({ tooSoon }) => tooSoon)).toEqual([]);
    await expectNoHarm(drill, digests);
  },
  300_000,
);
