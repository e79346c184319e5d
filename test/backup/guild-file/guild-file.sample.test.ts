import { array, assert, asyncProperty, nat } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/runtime/clock.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { postArticle, readArticle } from '../../../src/ranking/articles/articles.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { listEditions, writeEdition, zEdition } from '../../../src/editions/stored-editions.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { isWhole } from '../../fixtures/sample.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';
import { type Act, acts, CHANNELS, applyActs, memberId, NOW } from './random-guild.ts';
import {
  markWhole,
  empty,
  exported,
  GUILD,
  openDatabase,
  type Database,
  restored,
} from './guild-files.ts';
import { snapshot } from './snapshot.ts';

const numRuns = isWhole ? 25 : 5;
const seed = process.env['FC_SEED'] ? { seed: Number(process.env['FC_SEED']) } : {};
let servers: TestRedis[];
let [from, to, other]: Database[] = [];
beforeAll(async () => {
  servers = await Promise.all([startTestRedis(), startTestRedis(), startTestRedis()]);
  [from, to, other] = servers.map(({ redis }) => openDatabase(redis));
});
afterAll(async () => {
  for (const { ranking } of [from!, to!, other!]) await ranking.changes.flush();
  await Promise.all(servers.map((server) => server.stop()));
});

const asked = (database: Database) => snapshot(database, GUILD, CHANNELS, NOW);

/** Without what a restore decides anew: when digests begin, what was told, and who has a link's name. */
function butForNews(state: Record<string, any>): Record<string, unknown> {
  const digests = state['digests'].map(({ digest, ...rest }: any) => ({
    ...rest,
    digest: { ...digest, slotsFromMs: 0 },
  }));
  const articles = Object.entries(state).filter(([name]) => /^\d+$/.test(name));
  const plain = articles.map(([id, one]) => [id, { ...one, announced: null, links: null }]);
  return { ...state, ...Object.fromEntries(plain), digests };
}

test('into an empty Redis a restore gives the state at the export', async () => {
  await assert(
    asyncProperty(acts, async (all) => {
      await Promise.all([empty(from!), empty(to!)]);
      await applyActs(from!, GUILD, all);
      await markWhole(to!);
      const text = await exported(from!);
      await restored(to!, text);
      expect(butForNews(await asked(to!))).toEqual(butForNews(await asked(from!)));
    }),
    { numRuns, endOnFailure: true, ...seed },
  );
});

test('over other data, a restore done twice leaves what it leaves when done once', async () => {
  await assert(
    asyncProperty(acts, acts, async (theirs, ours) => {
      await Promise.all([empty(from!), empty(to!)]);
      await applyActs(from!, GUILD, theirs);
      await applyActs(to!, GUILD, ours);
      const text = await exported(from!);
      await restored(to!, text);
      const once = await asked(to!);
      const again = await restored(to!, text, { now: NOW + 1000 });
      expect(await asked(to!)).toEqual(once);
      expect(Object.values(again).map(({ put }) => put)).toEqual(Object.values(again).map(() => 0));
    }),
    { numRuns, endOnFailure: true, ...seed },
  );
});

/** Restores over a connection that breaks when so many replies have come, wherever that is. */
async function broken(server: TestRedis, text: string, replies: number): Promise<boolean> {
  const redis = connectRedis(server.url, { log: createLog('silent'), name: 'broken' });
  await redis.ping();
  let left = replies;
  redis.stream.on('data', () => {
    left -= 1;
    if (left === 0) redis.disconnect();
  });
  try {
    await restored(openDatabase(redis), text);
    return false;
  } catch {
    return true;
  } finally {
    redis.disconnect();
  }
}

test('interrupted anywhere, as often as may be, and done again, it leaves the same', async () => {
  let interrupted = 0;
  await assert(
    asyncProperty(
      acts,
      acts,
      // A restore has a dozen replies at least, and on a busy machine several may come as one.
      array(nat({ max: 25 }), { minLength: 2, maxLength: 4 }),
      async (theirs: Act[], ours: Act[], cuts: number[]) => {
        await Promise.all([empty(from!), empty(to!), empty(other!)]);
        await applyActs(from!, GUILD, theirs);
        for (const database of [to!, other!]) await applyActs(database, GUILD, ours);
        const text = await exported(from!);
        for (const cut of cuts) interrupted += (await broken(servers[1]!, text, cut + 1)) ? 1 : 0;
        await restored(to!, text);
        await restored(other!, text);
        expect(await asked(to!)).toEqual(await asked(other!));
      },
    ),
    { numRuns, endOnFailure: true, ...seed },
  );
  expect(interrupted).toBeGreaterThan(0);
});

test('interrupted between an article and its votes, and done again, it has both', async () => {
  const { ranking } = from!;
  const [id, link] = [snowflakeAt(NOW - HOUR_MS), 'https://news.example/1'];
  const article = { guild: GUILD, id, title: 'One', link, linkName: link, listed: true };
  await empty(from!);
  await postArticle(ranking, { ...article, poster: memberId(1), home: CHANNELS[0]! });
  await setVote(ranking, { guild: GUILD, article: id, member: memberId(2), vote: 'up' }, NOW);
  const text = await exported(from!);
  for (let replies = 1, wasBroken = true; wasBroken; replies += 1) {
    await empty(to!);
    wasBroken = await broken(servers[1]!, text, replies);
    await restored(to!, text);
    expect(await readArticle(to!.ranking, GUILD, id)).toMatchObject({ up: 2 });
  }
});

test('interrupted in an edition of a digest, and done again, it lists the edition', async () => {
  await empty(from!);
  const of = { name: 'daily', date: '2026-02-10' };
  const articles = [{ id: snowflakeAt(NOW - HOUR_MS), net: 1, replies: 0 }];
  const sections = { rising: [], firstPosts: articles, discussed: [], week: [] };
  const place = { channel: CHANNELS[0]!, message: null, isPublic: true };
  const whenMs = { postedAtMs: NOW - HOUR_MS, fromMs: 0 };
  const edition = zEdition.parse({ articles, ...sections, ...place, ...whenMs });
  await writeEdition(from!.store, GUILD, of, edition);
  const text = await exported(from!);
  for (let replies = 1, wasBroken = true; wasBroken; replies += 1) {
    await empty(to!);
    wasBroken = await broken(servers[1]!, text, replies);
    await restored(to!, text);
    expect(await listEditions(to!.store, GUILD)).toEqual([{ ...of, edition }]);
  }
});
