import { afterEach, expect, test } from 'vitest';
import { guildTag, sharedKeys } from '../../../src/redis/store-keys.ts';
import {
  allDigests,
  bringUp,
  fullRecount,
  killAndStart,
  moment,
  moveShards,
  postEverywhere,
  postUntil,
  setDigests,
  slotMs,
} from '../steps.ts';
import { type Drill, startDrill } from '../drill.ts';
import { measure, redisMemoryMb, watchLoads } from '../process-memory.ts';
import { differences, expectNoHarm, linesOf, repairsIn, textOf } from '../checks.ts';

const number = (name: string, usual: number) => Number(process.env[name] ?? usual);
const guildCount = number('DRILL_GUILDS', 3000);
const votesPerSecond = number('DRILL_VOTES', 150);
const seed = number('FC_SEED', Date.now() % 2 ** 31);
const SLOTS = 5;
const STEADY_MS = 60_000;

let drill: Drill | undefined;
afterEach(async ({ task }) => {
  await drill?.stop();
  if (task.result?.state !== 'fail' || !drill) return;
  const faults = drill.everyBot.flatMap(linesOf).filter(({ level }) => level >= 40);
  console.log(faults.map(textOf).join('\n'));
});

/** Nobody votes any more; resolves with the seconds until the record and the ranking agree. */
async function untilRight(drilled: Drill): Promise<number> {
  const startedMs = performance.now();
  await expect.poll(() => wrongTallies(drilled), { timeout: 900_000, interval: 2000 }).toEqual([]);
  return Math.round((performance.now() - startedMs) / 1000);
}

const textOfLoad = ({ core, memoryMb }: { core: number; memoryMb: number }) =>
  `${core.toFixed(2)} cores ${memoryMb | 0} MB`;
const wrongTallies = (drilled: Drill) => differences(drilled, { tallies: true });
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(`three processes on a cluster keep ${guildCount} guilds right, whatever dies`, async () => {
  console.log(`Seed ${seed}: FC_SEED=${seed} plays this again.`);
  drill = await startDrill({
    seed,
    guilds: guildCount,
    shards: ['0-1', '2-3', '4-5'],
    shardCount: 6,
    members: 12,
    aloud: true,
  });
  const { guilds, cluster, sandbox, random } = drill;
  const loads = watchLoads(drill);
  drill.tell(`${guildCount} guilds are founded.`);
  await bringUp(drill);
  drill.tell('Three processes are on, and all rankings are whole.');
  await postEverywhere(drill, 'first');
  drill.tell('There is an article in every guild.');
  const digests = await setDigests(drill, { count: Math.ceil(guildCount / 10), slots: SLOTS });
  drill.tell(`${digests.length} guilds have a digest.`);

  const seconds = STEADY_MS / 1000;
  const idle = await measure(drill.bots, seconds / 2, () => later(STEADY_MS / 2));
  drill.tell(`Without votes: ${idle.map(textOfLoad).join(', ')}.`);
  const voting = guilds.startVoting(votesPerSecond);
  const steady = await measure(drill.bots, seconds, () => later(STEADY_MS));
  const rate = (voting.count() / seconds).toFixed(0);
  drill.tell(`${rate} votes a second: ${steady.map(textOfLoad).join(', ')}.`);
  let isOver = false;
  const posting = postUntil(drill, () => isOver);

  await drill.goTo(slotMs(drill, 0));
  await moment(drill, 2000);
  await killAndStart(drill, random.below(3), { withinMs: 5000 });
  drill.tell('One process was killed and started while digests were due.');

  // The master goes that knows what is due.
  await drill.goTo(slotMs(drill, 1));
  await moment(drill, 2000);
  const first = cluster.failOver(sharedKeys(sandbox).guilds);
  await killAndStart(drill, random.below(3), { withinMs: 3000 });
  drill.tell(`A master was failed over in ${(await first).tookMs | 0} ms, and a process killed.`);
  await (await first).restart();

  await drill.goTo(slotMs(drill, 2));
  await moment(drill, 2000);
  await Promise.all(drill.bots.map((_, at) => killAndStart(drill!, at, { withinMs: 5000 })));
  drill.tell('All processes were killed and started.');

  await drill.goTo(slotMs(drill, 3));
  await moment(drill, 2000);
  await moveShards(drill, 0, 1);
  drill.tell(`Two processes have ${drill.bots.map(({ shards }) => shards).join(' and ')} now.`);
  await later(STEADY_MS);
  let cast = voting.stop();
  drill.tell(`${await untilRight(drill)} s later all tallies are right.`);

  // What is wrong now was lost with a master.
  const more = guilds.startVoting(votesPerSecond);
  await later(STEADY_MS / 2);
  await drill.goTo(slotMs(drill, 4));
  const { guild } = random.pick(guilds.places);
  const second = cluster.failOver(guildTag(sandbox.applicationId, guild));
  await later(1000);
  cast += more.stop();
  const over = await second;
  await later(3000);
  const lost = await wrongTallies(drill);
  drill.tell(`Another was failed over in ${over.tookMs | 0} ms; wrong tallies: ${lost.length}.`);
  drill.tell(`${await untilRight(drill)} s later all tallies are right.`);
  await over.restart();

  const last = guilds.startVoting(votesPerSecond);
  await killAndStart(drill, random.below(3), { withinMs: 5000 });
  await allDigests(drill, digests);
  isOver = true;
  drill.tell(`${cast + last.stop()} votes, ${await posting} more articles, all digests posted.`);

  const before = await differences(drill);
  const again = () => killAndStart(drill!, random.below(3), { withinMs: 5000 });
  const took = await fullRecount(drill, again);
  drill.tell(
    `Before the full recount ${before.length} articles were wrong; it took ${took | 0} s.`,
  );
  const repairs = drill.everyBot.reduce((sum, bot) => sum + repairsIn(bot), 0);
  const redisMb = await redisMemoryMb(cluster.redis);
  drill.tell(`${repairs} votes were repaired in all; the masters hold ${redisMb | 0} MB.`);
  drill.tell(`No process took more than ${loads.mostMemoryMb() | 0} MB.`);
  loads.stop();
  await expectNoHarm(drill, digests);
  drill.tell('Everything is as Discord says.');
}, 2_400_000);
