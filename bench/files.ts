import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createLog } from '../src/log.ts';
import { bytesOf, writePrivately } from '../src/cli/private-file.ts';
import { exportGuild } from '../src/records/guild-file/export.ts';
import { checkGuildFiles, guildFiles } from '../src/records/guild-file/read.ts';
import { restoreGuild } from '../src/records/guild-file/restore.ts';
import { connectRedis } from '../src/redis/connection.ts';
import { openStore } from '../src/redis/store.ts';
import { openRanking } from '../src/ranking/ranking.ts';
import { startTestCluster } from '../test/cluster.ts';
import {
  APPLICATION,
  GUILD,
  guildFile,
  MADE_MS,
} from '../test/records/guild-file/guild-material.ts';
import type { Bench } from './bench.ts';
import { watchWaits } from './bystander.ts';
import { grouped, type Row } from './table.ts';

const log = createLog('error');
const VOTES = 510;

/**
 * Restores and exports a guild's file, on a server like the bot's and on a cluster of three masters,
 * and measures another client's wait.
 */
export async function measureFiles({ server, quick }: Bench): Promise<Row[]> {
  const articles = quick ? 2000 : 100_000;
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-bench-'));
  const cluster = await startTestCluster();
  try {
    const rows = await measureAt(server.url, 'a server', articles, join(folder, 'server'));
    const url = cluster.url;
    return [...rows, ...(await measureAt(url, 'three masters', articles, join(folder, 'cluster')))];
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true });
  }
}

async function measureAt(
  url: string,
  where: string,
  articles: number,
  path: string,
): Promise<Row[]> {
  const redis = connectRedis(url, { log, name: 'bench' });
  const place = {
    ranking: openRanking(redis, APPLICATION),
    store: openStore(redis, APPLICATION, log),
  };
  const bystander = await watchWaits(url);
  const rows: Row[] = [];
  const measure = async (what: string, unit: string, work: () => Promise<[number, string?]>) => {
    let [count, size]: [number, string?] = [0];
    const start = performance.now();
    const worst = await bystander.worstDuring(async () => {
      [count, size] = await work();
    });
    const seconds = (performance.now() - start) / 1000;
    console.error(`${what}, ${where}: ${seconds.toFixed(1)} s`);
    rows.push({
      what: `${what}, ${where}, ${grouped(articles)} articles`,
      frontpage: `${grouped(Math.round(count / seconds))} ${unit}/s, ${seconds.toFixed(1)} s`,
      other: [size, `another client waited ${worst.toFixed(0)} ms at worst`]
        .filter(Boolean)
        .join(', '),
      result: Math.round(count / seconds),
      unit: '',
    });
  };
  const [given, taken] = [`${path}-given.gz`, `${path}-taken.gz`];
  await writePrivately(given, Readable.from(guildFile(articles, VOTES)));
  const restore = async (): Promise<[number]> => {
    await checkGuildFiles(bytesOf(given));
    for await (const file of guildFiles(bytesOf(given))) {
      await restoreGuild(place, { ...file, now: MADE_MS, write: true });
    }
    return [articles];
  };

  await measure('restore of a guild', 'articles', restore);
  await measure('the same over itself', 'articles', restore);
  await measure('export of a guild', 'articles', async () => {
    await writePrivately(taken, exportGuild(place, GUILD, MADE_MS));
    return [articles, await sizeOf(taken)];
  });
  await place.ranking.changes.flush();
  bystander.stop();
  redis.disconnect();
  return rows;
}

async function sizeOf(path: string): Promise<string> {
  return `${((await stat(path)).size / 1_048_576).toFixed(1)} MB`;
}
