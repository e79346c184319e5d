import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readBackup } from '../../../src/records/backup/backup.ts';
import { readLines, writeLines } from '../../../src/records/backup/lines.ts';
import {
  BrokenBackup,
  checkBackup,
  holdsData,
  writeBackup,
} from '../../../src/records/backup/restore-backup.ts';
import { postArticle, readArticle } from '../../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { openRanking, type Ranking } from '../../../src/ranking/ranking.ts';
import { snowflakeAt } from '../../../src/ranking/snowflake.ts';
import { readVoters } from '../../../src/ranking/ballots/voters.ts';
import { castVote } from '../../../src/ranking/ballots/votes.ts';
import { startTestRedis, type TestRedis } from '../../private-redis.ts';

const APPLICATION = '1100000000000000001';
const NOW = Date.now();
const HOME = '300000000000000001';

let from: TestRedis;
let to: TestRedis;
let ranking: Ranking;
const folder = mkdtempSync(join(tmpdir(), 'frontpage-backup-'));
beforeAll(async () => {
  [from, to] = await Promise.all([startTestRedis(), startTestRedis()]);
  ranking = openRanking(from.redis, APPLICATION);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await ranking.changes.flush();
  await Promise.all([from.stop(), to.stop()]);
});
beforeEach(() => Promise.all([from.flush(), to.flush()]));

let files = 0;
const newFile = () => join(folder, `${++files}.gz`);

async function backUp(): Promise<string> {
  const file = newFile();
  await writeLines(file, readBackup(from.redis, NOW));
  return file;
}

async function putBack(file: string): Promise<void> {
  const checked = await checkBackup(readLines(file));
  await writeBackup(to.redis, readLines(file), checked, NOW);
}

let posted = 0;
async function post(guild: string): Promise<string> {
  const id = String(BigInt(snowflakeAt(NOW - 3_600_000)) + BigInt(++posted));
  const link = `https://news.example/${id}`;
  const article = { guild, id, title: `第 ${posted} 篇`, link, canonical: link, poster: '9' };
  await postArticle(ranking, { ...article, home: HOME, listed: true });
  return id;
}

/** Every key with all that it holds, and whether it ends. */
async function contents(redis: Redis): Promise<Record<string, unknown>> {
  const keys = (await redis.keys('*')).sort();
  const entries = keys.map(async (key) => {
    const type = await redis.type(key);
    const value = await {
      string: async () => redis.getBuffer(key),
      hash: async () => redis.hgetallBuffer(key),
      set: async () => (await redis.smembers(key)).sort(),
      zset: async () => redis.zrange(key, '0', '-1', 'WITHSCORES'),
    }[type as 'string']();
    return [key, { type, value, ends: (await redis.pttl(key)) > 0 }];
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<string, unknown>;
}

test('what is restored is what was backed up, of every type and with its end', async () => {
  const [guild, other] = ['700000000000000001', '700000000000000002'];
  const article = await post(guild);
  await post(other);
  for (let member = 1; member <= 2500; member++) {
    const vote = member % 3 === 0 ? ('down' as const) : ('up' as const);
    await castVote(ranking, { guild, article, member: String(10 ** 17 + member), vote }, NOW);
  }
  const tag = `frontpage:${APPLICATION}:{${guild}}:`;
  await from.redis.set(`${tag}text`, Buffer.from([0, 1, 10, 13, 34, 128, 255]), 'EX', 1000);
  await from.redis.set(`frontpage:${APPLICATION}:schema`, '1');
  await ranking.changes.flush();
  const before = await contents(from.redis);
  await putBack(await backUp());
  expect(await contents(to.redis)).toEqual(before);
});

test('who works at what is not in it, nor what was another program’s, nor what has ended since', async () => {
  const tag = `frontpage:${APPLICATION}:{700000000000000001}:`;
  await from.redis.hset(`${tag}lease:rebuild`, 'token', 'x');
  await from.redis.set('other', 'x');
  await from.redis.set(`${tag}brief`, 'x', 'PX', 60_000);
  await from.redis.set(`${tag}kept`, 'x');
  const file = await backUp();
  const checked = await checkBackup(readLines(file));
  await writeBackup(to.redis, readLines(file), checked, NOW + 3_600_000);
  expect(await to.redis.keys('*')).toEqual([`${tag}kept`]);
});

test('each guild is as it was at one instant, while votes and posts go on', async () => {
  const guilds = ['700000000000000001', '700000000000000002'];
  const articles: { guild: string; article: string }[] = [];
  for (const guild of guilds) {
    for (let i = 0; i < 40; i++) articles.push({ guild, article: await post(guild) });
  }
  // Some have more voters than a row holds, so that they have a key of their own.
  const crowded = articles.filter((_, i) => i % 8 === 0);
  for (let i = 0; i < 40; i++) {
    await Promise.all(
      crowded.map((one) => castVote(ranking, { ...one, member: `9${i}`, vote: 'up' }, NOW)),
    );
  }
  const over = new AbortController();
  let votes = 0;
  const voting = (async () => {
    while (!over.signal.aborted) {
      votes += 1;
      const { guild, article } = articles[votes % articles.length]!;
      await castVote(ranking, { guild, article, member: String(1000 + votes), vote: 'up' }, NOW);
      if (votes % 50 === 0) articles.push({ guild, article: await post(guild) });
    }
  })();
  const file = await backUp();
  over.abort();
  await voting;
  await putBack(file);
  const restored = openRanking(to.redis, APPLICATION);
  let found = 0;
  for (const { guild, article } of articles) {
    const read = await readArticle(restored, guild, article);
    if (read === null) continue;
    found += 1;
    const keys = guildKeys(APPLICATION, guild);
    // The poster is one up vote and no voter.
    expect((await readVoters(restored, guild, article)).size).toBe(read.up - 1);
    expect(await to.redis.zscore(keys.score, article)).toBe(String(read.score));
    expect(await to.redis.zscore(keys.scoreOf(HOME), article)).toBe(String(read.score));
  }
  expect(found).toBeGreaterThanOrEqual(80);
  expect(votes).toBeGreaterThan(10);
});

/** A backup in which something is not as it was written. */
async function damaged(change: (text: string) => string): Promise<string> {
  await post('700000000000000001');
  await from.redis.set(`frontpage:${APPLICATION}:schema`, '1');
  const file = await backUp();
  const text = gunzipSync(readFileSync(file)).toString('utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(file, gzipSync(changed));
  return file;
}

describe('a backup is refused before anything is written', () => {
  test.each<[string, (text: string) => string]>([
    ['is cut', (text) => text.slice(0, -200)],
    ['lost a line', (text) => text.replace(/\{"key".*\n/, '')],
    ['says another vote', (text) => text.replace('news.example', 'fake.example')],
    ['has something behind its end', (text) => `${text}{"block":"x"}\n`],
    ['is something else', () => '{"hello":1}\n'],
    ['is empty', () => ''],
  ])('where it %s', async (_, change) => {
    const file = await damaged(change);
    await expect(putBack(file)).rejects.toThrow(BrokenBackup);
    expect(await holdsData(to.redis)).toBe(false);
  });

  test('where the compressed file itself is cut', async () => {
    await post('700000000000000001');
    const file = await backUp();
    writeFileSync(file, readFileSync(file).subarray(0, -20));
    await expect(putBack(file)).rejects.toThrow(BrokenBackup);
  });
});

async function* breakingOff() {
  yield 'one\n';
  throw new Error('no more');
}

test('a backup does not overwrite another, and leaves nothing half-written', async () => {
  const file = newFile();
  writeFileSync(file, 'mine');
  await expect(writeLines(file, readBackup(from.redis, NOW))).rejects.toThrow('EEXIST');
  expect(readFileSync(file, 'utf8')).toBe('mine');
  const failing = newFile();
  await expect(writeLines(failing, breakingOff())).rejects.toThrow('no more');
  expect(() => readFileSync(failing)).toThrow('ENOENT');
});
