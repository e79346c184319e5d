import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../../src/runtime/log.ts';
import { bytesOfFile, writePrivately } from '../../../src/backup/private-file.ts';
import { exportGuild } from '../../../src/backup/guild-file/export.ts';
import { checkGuildFiles, guildFiles } from '../../../src/backup/guild-file/read.ts';
import { restoreGuild } from '../../../src/backup/guild-file/restore-guild.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import type { Store } from '../../../src/redis/store.ts';
import { openRanking, type Ranking } from '../../../src/ranking/ranking.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';
import { APPLICATION, GUILD, guildFile, MADE_MS } from './large-guild-file.ts';

const ARTICLES = 20_000;
const VOTES = 700;
/** All lines at once would be more than twice this, the articles as objects several times. */
const MOST_BYTES = 8 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let server: TestRedis;
let database: { ranking: Ranking; store: Store };
const folder = mkdtempSync(join(tmpdir(), 'frontpage-size-'));
const [given, taken] = [join(folder, 'given.ndjson.gz'), join(folder, 'taken.ndjson.gz')];
beforeAll(async () => {
  server = await startTestRedis();
  const { redis } = server;
  database = {
    ranking: openRanking({ redis, applicationId: APPLICATION }),
    store: { redis, applicationId: APPLICATION, log: createLog('silent') },
  };
  await redis.set(storeKeys(database.store, GUILD).complete, MADE_MS);
  await writePrivately(given, Readable.from(guildFile(ARTICLES, VOTES)));
});
afterAll(async () => {
  await database.ranking.changes.flush();
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** How much more is held at any time than at the beginning. */
function watchHeap(): { measure: (at: number) => void; mostBytes: () => number } {
  collect();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  return {
    measure(at) {
      if (at % 2000 !== 0) return;
      collect();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    },
    mostBytes: () => most,
  };
}

test('a guild of 20 000 articles goes in and comes out the same, held in no memory', async () => {
  const restoring = watchHeap();
  const [checked] = await checkGuildFiles(bytesOfFile(given));
  for await (const file of guildFiles(bytesOfFile(given))) {
    const options = { ...file, now: MADE_MS, onLine: restoring.measure };
    const { article } = await restoreGuild(database, options);
    expect(article).toEqual({ put: ARTICLES, unchanged: 0, left: 0 });
  }

  const exporting = watchHeap();
  async function* measured(): AsyncGenerator<string> {
    let lines = 0;
    for await (const line of exportGuild(database, GUILD, MADE_MS)) {
      exporting.measure((lines += 1));
      yield line;
    }
  }
  await writePrivately(taken, measured());
  expect(await checkGuildFiles(bytesOfFile(taken))).toEqual([checked]);
  expect(restoring.mostBytes()).toBeLessThan(MOST_BYTES);
  expect(exporting.mostBytes()).toBeLessThan(MOST_BYTES);
  console.info(
    `heap: restore ${restoring.mostBytes() >> 10} KiB, export ${exporting.mostBytes() >> 10} KiB`,
  );
}, 120_000);
