import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seededRandom } from '../../../discord-box/src/index.ts';
import { startCommunity } from '../../../discord-box/test/community.ts';
import { scanKeys } from '../../../src/redis/scan.ts';
import { openRanking } from '../../../src/ranking/ranking.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { runFrontpage } from '../../fixtures/bot-process.ts';
import { freePort } from '../../fixtures/cluster.ts';
import { startTestRedis } from '../../fixtures/private-redis.ts';
import { differences } from '../checks.ts';
import { sideBySide } from '../drill.ts';
import { createGuilds } from '../drill-guilds.ts';

/**
 * `DRILL_GUILDS=10000 DRILL_VOTES=50 npm run soak -- test/drills/soak/many-guilds.soak.ts` prints the
 * figures of bench/README.md.
 */
const number = (name: string, usual: number) => Number(process.env[name] ?? usual);
const guildCount = number('DRILL_GUILDS', 10_000);
const votesPerSecond = number('DRILL_VOTES', 50);
const votingSeconds = number('DRILL_SECONDS', 120);
const PROCESSES = ['0-2', '3-5', '6-8', '9-11'];
/** Figures are printed so often, so that what grows is seen. */
const PIECE_SECONDS = 600;
/** One guild in so many gets an article at first. */
const POSTING = 10;

test(`four processes and one Redis serve ${guildCount} guilds`, async () => {
  const startedMs = performance.now();
  const tell = (what: string) =>
    console.log(`${((performance.now() - startedMs) / 1000).toFixed(0)} s  ${what}`);
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-guilds-'));
  const [redis, sandbox] = await Promise.all([
    startTestRedis(),
    startCommunity({ rateLimits: false, answerWithinMs: 30_000 }),
  ]);
  const random = seededRandom(1);
  const guilds = createGuilds(sandbox, random, { guilds: guildCount, members: 12 });
  // Their rankings are whole, as after a restart: to rebuild so many takes as long as Discord's limits make it.
  const applicationId = sandbox.world.application.id;
  const known = redis.redis.pipeline();
  for (const { guild } of guilds.places) {
    known.set(storeKeys({ applicationId }, guild).complete, Date.now());
  }
  await known.exec();
  tell(`${guildCount} guilds are founded.`);
  const bots = await Promise.all(
    PROCESSES.map(async (shards) => {
      const metricsPort = await freePort();
      const run = runFrontpage({
        SHARDS: shards,
        SHARD_COUNT: '12',
        DISCORD_TOKEN: sandbox.token,
        DISCORD_API_BASE: sandbox.apiBase,
        REDIS_URL: redis.url,
        DATA_DIR: folder,
        WEB_PORT: String(await freePort()),
        METRICS_PORT: String(metricsPort),
      });
      return { ...run, metricsPort };
    }),
  );

  /** How many guilds have no complete ranking yet. */
  const incomplete = () => lacking('complete');
  /** In how many guilds the newest messages were not read yet. */
  const unscanned = () => lacking('scanned');

  async function lacking(name: 'complete' | 'scanned'): Promise<number> {
    const found = new Set<string>();
    const pattern = storeKeys({ applicationId: '*' }, '*')[name];
    for await (const keys of scanKeys(redis.redis, pattern)) for (const key of keys) found.add(key);
    // The community that the box begins with is one more.
    return Math.max(0, guildCount - found.size);
  }

  async function figures() {
    const texts = await Promise.all(
      bots.map(({ metricsPort }) =>
        fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((response) => response.text()),
      ),
    );
    const each = (name: string) =>
      texts.map((text) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]));
    const stats = await redis.redis.info();
    const ofRedis = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(stats)?.[1]);
    return {
      atMs: performance.now(),
      memoryMb: each('process_resident_memory_bytes').map((bytes) => Math.round(bytes / 1e6)),
      cpuSeconds: each('process_cpu_seconds_total'),
      lagMs: each('nodejs_eventloop_lag_p99_seconds').map((seconds) => Math.round(seconds * 1000)),
      commands: ofRedis('total_commands_processed'),
      redisCpuSeconds: ofRedis('used_cpu_user') + ofRedis('used_cpu_sys'),
      redisMb: Math.round(ofRedis('used_memory') / 1e6),
      requests: [...sandbox.requests.counts.values()].reduce((sum, count) => sum + count, 0),
    };
  }

  /** What the processes used for so long. */
  async function measure(what: string, seconds: number): Promise<void> {
    const before = await figures();
    await pause(seconds * 1000);
    const after = await figures();
    const took = (after.atMs - before.atMs) / 1000;
    const rate = (name: 'commands' | 'requests') =>
      Math.round(((after[name] - before[name]) / took) * 10) / 10;
    const cores = after.cpuSeconds.map((cpu, n) =>
      ((cpu - before.cpuSeconds[n]!) / took).toFixed(2),
    );
    tell(
      `${what}: memory ${after.memoryMb.join(', ')} MB; lag p99 ${after.lagMs.join(', ')} ms; ` +
        `cores ${cores.join(', ')}; Redis ${rate('commands')} commands/s, ${after.redisMb} MB, ` +
        `${((after.redisCpuSeconds - before.redisCpuSeconds) / took).toFixed(2)} cores; ` +
        `Discord ${rate('requests')} requests/s`,
    );
  }

  try {
    await Promise.all(bots.map((bot) => bot.isOn()));
    tell('Four processes are on.');
    await expect.poll(incomplete, { timeout: 1_800_000, interval: 2000 }).toBe(0);
    tell('All rankings are whole.');
    await expect.poll(unscanned, { timeout: 1_800_000, interval: 2000 }).toBe(0);
    tell('The messages of all guilds since the last run are read.');
    await measure('Without votes', 30);
    let posted = 0;
    const posting = guilds.places.filter((_, at) => at % POSTING === 0);
    await sideBySide(posting, 8, async (place) => {
      if (await guilds.post(place, `https://news.example/${place.guild}`)) posted += 1;
    });
    tell(`${posted} of ${posting.length} articles are posted.`);
    const voting = guilds.startVoting(votesPerSecond * POSTING);
    for (let leftSeconds = votingSeconds; leftSeconds > 0; leftSeconds -= PIECE_SECONDS) {
      await measure(
        `${votesPerSecond} votes a second asked for`,
        Math.min(leftSeconds, PIECE_SECONDS),
      );
    }
    const cast = voting.stop();
    const votes = guilds.articles().reduce((sum, article) => sum + guilds.votes(article).size, 0);
    tell(`${cast / POSTING} votes were tried, ${votes} votes stand.`);
    const ranking = openRanking({ redis: redis.redis, applicationId });
    const wrong = () => differences({ guilds, ranking }, { tallies: true });
    await expect.poll(wrong, { timeout: 900_000, interval: 1000 }).toEqual([]);
    tell('All tallies are right.');
    expect(bots.filter((bot) => bot.hasDied())).toEqual([]);
    expect(posted).toBe(posting.length);
  } finally {
    await Promise.all(bots.map((bot) => bot.end('SIGKILL')));
    await Promise.all([sandbox.stop(), redis.stop()]);
    await rm(folder, { recursive: true });
  }
});
