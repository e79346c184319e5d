import { createLog } from '../src/runtime/log.ts';
import { exportGuild } from '../src/backup/guild-file/export.ts';
import { readBlocks } from '../src/community/blocks.ts';
import { erasedAmong } from '../src/community/erasures.ts';
import { readOptedOut } from '../src/community/opted-out.ts';
import { readSettings } from '../src/community/settings.ts';
import { storeKeys } from '../src/redis/store-keys.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { guildKeys } from '../src/ranking/keys.ts';
import type { Bench } from './bench.ts';
import { watchWaits } from './bystander.ts';
import { guildId, newArticle } from './material.ts';
import { APPLICATION } from './server.ts';
import { grouped, type Row } from './table.ts';

const STEP = 10_000;
/** More members than are likely to vote on one link. */
const VOTERS = 100_000;

/**
 * One guild has a million blocks, members who opted out, erasures and messages to delete, which is more
 * than any door lets in. Measures how long another client waits while the bot reads them, as it does
 * each minute for the votes of that guild, and for its file.
 */
export async function measureLargeSets({ server, quick, clock }: Bench): Promise<Row[]> {
  const size = quick ? 50_000 : 1_000_000;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const store = {
    redis: await server.connect(),
    applicationId: APPLICATION,
    log: createLog('error'),
  };
  const { redis } = store;
  const keys = storeKeys(store, guild);
  const block = JSON.stringify({ by: id(0), reason: 'x'.repeat(100) });
  for (let from = 0; from < size; from += STEP) {
    const ids = Array.from({ length: STEP }, (_, n) => id(from + n));
    await Promise.all([
      redis.sadd(keys.optedOut, ...ids),
      redis.hset(keys.erased, ...ids.flatMap((member) => [member, clock.now()])),
      redis.hset(keys.erasing, ...ids.flatMap((article) => [article, id(1)])),
      redis.hset(keys.blocks, ...ids.flatMap((member) => [`member:${member}`, block])),
    ]);
  }
  const article = newArticle(guild, 0, { count: 1, now: clock.now() });
  await postArticle(ranking, article);
  const ballots = guildKeys(ranking, guild).voters(article.id);
  for (let from = 0; from < VOTERS; from += STEP) {
    const votes = Array.from({ length: STEP }, (_, n) => (n % 2 ? '-' : '') + id(from + n));
    await redis.sadd(ballots, ...votes);
  }
  const ofEach = `with ${grouped(size)} of each`;
  const bystander = await watchWaits(server.url);
  const beside = await bystander.worstDuring(
    () => new Promise((resolve) => setTimeout(resolve, 1000)),
  );
  const works: [string, () => Promise<unknown>][] = [
    [
      `the rules of a guild ${ofEach}`,
      () =>
        Promise.all([
          readSettings(store, guild),
          readBlocks(store, guild),
          readOptedOut(store, guild),
          erasedAmong(
            store,
            guild,
            Array.from({ length: 1000 }, (_, n) => id(n)),
            0,
          ),
        ]),
    ],
    [
      `the file of a guild ${ofEach}`,
      async () => {
        for await (const _ of exportGuild({ ranking, store }, guild, clock.now()));
      },
    ],
  ];
  const rows: Row[] = [];
  for (const [what, work] of works) {
    const startMs = performance.now();
    const worst = await bystander.worstDuring(async () => void (await work()));
    rows.push({
      what: `longest wait beside ${what}`,
      of: `${((performance.now() - startMs) / 1000).toFixed(1)} s in all, ${beside.toFixed(1)} ms before`,
      result: Math.round(worst),
      unit: 'ms',
    });
  }
  bystander.stop();
  return rows;
}

function id(n: number): string {
  return String(200_000_000_000_000_000n + BigInt(n));
}
