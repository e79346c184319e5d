import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteReport } from '../../src/community/stored-reports.ts';
import { eraseMember } from '../../src/privacy/member-data.ts';
import { saveArticle, writeAsked, writeSeen } from '../../src/personal/stored-personal.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { dump } from '../drills/stored-data/a-guild.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let guild: string;

beforeAll(async () => {
  scene = await startScene();
  guild = scene.sandbox.guildId;
});
afterAll(() => scene.stop());

class Died extends Error {}

/** A connection of a process that dies before its next command, once it has given so many. */
function dyingAfter(redis: Redis, commands: number): { redis: Redis; hasDied: () => boolean } {
  let left = commands;
  let hasDied = false;
  const dying = new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      // Scripts are taught without a word to Redis, and a transaction is one command.
      if (typeof value !== 'function' || name === 'defineCommand') return value;
      return (...args: unknown[]) => {
        left -= 1;
        hasDied ||= left < 0;
        if (hasDied) throw new Died();
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  return { redis: dying, hasDied: () => hasDied };
}

/** A member with something of each kind, and an article of another with their vote. */
async function arrange(): Promise<{ member: string; others: string; own: string[] }> {
  const { ranking, store } = scene.bot;
  const [member = '', other = ''] = scene.crowd(2);
  const at = (atMs: number, poster: string) =>
    scene.rank({ title: `An article of ${poster}`, atMs, poster });
  const now = scene.clock.now();
  const own = [await at(now - 60_000, member), await at(now - 50_000, member)];
  const others = await at(now - 40_000, other);
  await setVote(ranking, { guild, article: others, member, vote: 'up' }, now);
  await saveArticle(store, guild, member, others);
  await writeSeen(store, guild, member, others);
  await writeAsked(store, guild, member, { shown: [others], voted: [] });
  await noteReport(store, guild, { article: others, member, reason: 'spam' }, now);
  return { member, others, own };
}

/** The keys that name the member, in their names or in what they hold. */
async function naming(member: string): Promise<string[]> {
  return Object.entries(await dump(scene.bot.store.redis))
    .filter(([name, held]) => `${name} ${JSON.stringify(held)}`.includes(member))
    .map(([name]) => name);
}

// Withstands (Processes that die): The process dies at any step of erasing a member
// → the rest is erased when it is back, and nothing of the member is left
test('whenever a process dies while it erases a member, nothing of the member is left once it goes on', async () => {
  const { bot } = scene;
  const keys = storeKeys(bot.store, guild);
  const { erased, erasing } = keys;
  let deaths = 0;
  for (let commands = 1; commands < 100; commands += 1) {
    const { member, others, own } = await arrange();
    const { redis, hasDied } = dyingAfter(bot.store.redis, commands);
    const store = { ...bot.store, redis };
    const due = {
      ...bot.due,
      async plan(...row: Parameters<typeof bot.due.plan>) {
        // It is written over the same connection.
        await redis.ping();
        await bot.due.plan(...row);
      },
    };
    const dying = { ...bot, store, due, ranking: { ...bot.ranking, redis } };
    const isErased = await eraseMember(dying, guild, member).then(
      () => true,
      (error: unknown) => {
        if (!hasDied()) throw error;
        return false;
      },
    );
    // What only the member sees is gone first, and for good.
    expect(await bot.store.redis.exists(keys.personal(member))).toBe(0);
    // A start goes on where the record is there.
    const isPlanned = (await bot.store.redis.exists(erasing)) === 1;
    expect(isPlanned || isErased).toBe(true);
    expect(await bot.privacy.eraseLeft(guild)).toBe(false);
    expect(await naming(member)).toEqual([erased]);
    const left = await Promise.all(own.map((id) => scene.article(id)));
    expect(left).toEqual([null, null]);
    expect(await scene.article(others)).toMatchObject({ up: 1 });
    expect(await bot.store.redis.exists(erasing)).toBe(0);
    // The next one is as long.
    await deleteArticle(bot.ranking, guild, others);
    for (const id of own) await deleteArticle(bot.ranking, guild, id);
    if (isErased) break;
    deaths += 1;
  }
  expect(deaths).toBeGreaterThan(10);
  expect(deaths).toBeLessThan(100);
}, 120_000);

test('an erasure that goes on later leaves what the member posted since', async () => {
  const { bot } = scene;
  const { member, own } = await arrange();
  const { redis } = dyingAfter(bot.store.redis, 1);
  const dying = { ...bot, store: { ...bot.store, redis }, ranking: { ...bot.ranking, redis } };
  await expect(eraseMember(dying, guild, member)).rejects.toThrow(Died);
  const atMs = scene.clock.now() + 1000;
  const later = await scene.rank({ title: 'Since then', atMs, poster: member });
  await bot.privacy.eraseLeft(guild);
  for (const id of own) expect(await scene.article(id)).toBeNull();
  expect(await scene.article(later)).toMatchObject({ title: 'Since then' });
});
