import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type IdentifyLimit, type Random, seededRandom } from '../../discord-box/src/index.ts';
import { type Community, startCommunity } from '../../discord-box/test/community.ts';
import { HOUR_MS, startClock } from '../../src/runtime/clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import type { Store } from '../../src/redis/store.ts';
import { openRanking, type Ranking } from '../../src/ranking/ranking.ts';
import { type Run, runFrontpage } from '../fixtures/bot-process.ts';
import { freePort, startTestCluster, type TestCluster } from '../fixtures/cluster.ts';
import { createGuilds, type DrillGuilds } from './drill-guilds.ts';

type DrillSize = {
  seed: number;
  guilds: number;
  /** Each process's `SHARDS` at first. */
  shards: string[];
  shardCount: number;
  /** Who vote, in every guild. */
  members: number;
  /** How often sessions may begin; as often as they want by default. */
  identifies?: Partial<IdentifyLimit>;
  /** Prints each line of the report at once. */
  aloud?: boolean;
};

/** A process of the bot, with the shards that it was given. */
export type DrillBot = Run & { shards: string; metricsPort: number };

/** Several real processes on a cluster with replicas, and a Discord of many guilds. */
export type Drill = {
  size: DrillSize;
  random: Random;
  sandbox: Community;
  cluster: TestCluster;
  guilds: DrillGuilds;
  /** When the drill began, by the common clock: noon in UTC. */
  noonMs: number;
  ranking: Ranking;
  store: Store;
  /** By place; one that was killed stays until it is started again. */
  bots: DrillBot[];
  /** All that were ever started. */
  everyBot: DrillBot[];
  /** Starts the process at a place again, with these shards or its own. */
  start(at: number, shards?: string): Promise<DrillBot>;
  /** Sets the common clock. The minute's work of every process then runs at once. */
  goTo(atMs: number): Promise<void>;
  now(): number;
  /** What was done so far, with the seconds since the beginning. */
  told: string[];
  tell(what: string): void;
  stop(): Promise<void>;
};

/** Noon of tomorrow, so that every drill lies within one day of UTC. */
function noonOf(now: number): number {
  return Math.ceil(now / (24 * HOUR_MS)) * 24 * HOUR_MS + 12 * HOUR_MS;
}

export async function startDrill(size: DrillSize): Promise<Drill> {
  const startedMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-drill-'));
  const clockFile = join(folder, 'clock');
  const noonMs = noonOf(Date.now());
  await writeFile(clockFile, String(noonMs - Date.now()));
  const clock = startClock(clockFile);
  const [cluster, sandbox] = await Promise.all([
    startTestCluster({ replicas: 1 }),
    startCommunity({
      rateLimits: false,
      answerWithinMs: 30_000,
      clock,
      seed: size.seed,
      ...(size.identifies === undefined ? {} : { identifies: size.identifies }),
    }),
  ]);
  const random = seededRandom(size.seed);
  const drill: Drill = {
    size,
    random,
    sandbox,
    cluster,
    noonMs,
    guilds: createGuilds(sandbox, random, size),
    ranking: openRanking({ redis: cluster.redis, applicationId: sandbox.applicationId }),
    store: { redis: cluster.redis, applicationId: sandbox.applicationId, log: createLog('silent') },
    bots: [],
    everyBot: [],
    async start(at, shards = drill.bots[at]?.shards ?? size.shards[at]!) {
      const metricsPort = await freePort();
      const run = runFrontpage({
        SHARDS: shards,
        SHARD_COUNT: String(size.shardCount),
        DISCORD_TOKEN: sandbox.token,
        DISCORD_API_BASE: sandbox.apiBase,
        REDIS_URL: cluster.url,
        DATA_DIR: folder,
        CLOCK_OFFSET_FILE: clockFile,
        WEB_PORT: String(await freePort()),
        METRICS_PORT: String(metricsPort),
      });
      const bot = { ...run, shards, metricsPort };
      drill.bots[at] = bot;
      drill.everyBot.push(bot);
      return bot;
    },
    async goTo(atMs) {
      await writeFile(clockFile, String(atMs - Date.now()));
      await expect.poll(() => clock.now(), { interval: 20 }).toBeGreaterThan(atMs - 1);
    },
    now: () => clock.now(),
    told: [],
    tell(what) {
      const line = `${((performance.now() - startedMs) / 1000).toFixed(1)} s  ${what}`;
      drill.told.push(line);
      if (size.aloud) console.log(line);
    },
    async stop() {
      await Promise.all(drill.bots.map((bot) => bot.end('SIGKILL')));
      clock.stop();
      await Promise.all([sandbox.stop(), cluster.stop()]);
      await rm(folder, { recursive: true });
    },
  };
  return drill;
}

/** Does the work for each item, `atOnce` at a time. */
export async function sideBySide<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const left = all.values();
  const workInTurn = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, workInTurn));
}
