import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { createMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import { articleMessage } from '../../../src/articles/messages/article-message.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { releaseLease, takeLease } from '../../../src/redis/lease.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { readSettings, writeSetting } from '../../../src/community/settings.ts';
import { inconsistencies } from '../../ranking/consistency.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let general: string;
let guild: string;
let open: string;
let closed: string;
let whole: Record<string, unknown>;

beforeAll(async () => {
  scene = await startScene({ follows: true });
  general = scene.sandbox.channels.general.id;
  guild = scene.sandbox.guildId;
  const [a = '', b = '', c = ''] = scene.sandbox.members;
  open = await scene.post(scene.sandbox.admin, {
    channel: general,
    link: 'https://news.example/open',
  });
  for (const member of [a, b]) scene.react(member, open, '👍');
  scene.react(c, open, '👎');
  closed = leave('closed', { up: 7, down: 2 }, 20);
  leave('closed lately', { up: 5, down: 1 }, 12);
  await scene.redis.redis.del(storeKeys(scene.sandbox, guild).complete);
  await scene.bot.due.plan(guild, 'rebuild', 0);
  await scene.whole();
  await scene.eventually(
    () => scene.article(open),
    (article) => article?.down === 1,
    'voted on',
  );
  await rested();
  whole = await scene.dump();
});
afterAll(() => scene.stop());
/** The bot's message of an article that its ranking never heard of. */
function leave(name: string, result: { up: number; down: number }, daysAgo: number): string {
  const { world, admin, channels } = scene.sandbox;
  const id = world.snowflake(scene.clock.now() - daysAgo * DAY_MS);
  const carried = {
    title: name,
    link: `https://left.example/${name.replace(' ', '-')}`,
    poster: admin,
    groups: [general],
    interesting: false,
    locked: false,
    beside: false,
    closesAtMs: scene.clock.now(),
    closed: true,
    ...result,
  };
  const content = articleMessage(carried, 'en-US');
  createMessage(world, channels.general, { id, authorId: world.application.botId, content });
  return id;
}
const keys = () => guildKeys(scene.sandbox, guild);
/** Minutes pass until everything is as it was. */
async function expectHealed() {
  const minutes = setInterval(() => void scene.minute(), 1000);
  try {
    await scene.minute();
    await expect.poll(() => scene.dump(), { interval: 50 }).toEqual(whole);
  } finally {
    clearInterval(minutes);
  }
  await rested();
  expect(await inconsistencies(scene.bot.ranking, guild)).toEqual([]);
}
/** Nothing is under way that would read a row while a test breaks it, and write the half of it. */
async function rested() {
  await scene.bot.due.look();
  await scene.settled();
}
async function breakRow(id: string, change: (row: string) => string) {
  const row = (await scene.redis.redis.hget(keys().articles, id)) ?? '';
  await scene.redis.redis.hset(keys().articles, id, change(row));
}
/** Notes the keys that are deleted, until the returned function is called, which returns them. */
async function followDeletions(): Promise<() => Promise<string[]>> {
  const { redis } = scene.redis;
  const [names, listener] = [[] as string[], redis.duplicate()];
  listener.on('message', (_, name) => names.push(name));
  await redis.config('SET', 'notify-keyspace-events', 'Eg');
  await listener.subscribe('__keyevent@0__:del');
  return async () => {
    const last = 'the last one';
    await redis.set(last, '');
    await redis.del(last);
    await expect.poll(() => names).toContain(last);
    await redis.config('SET', 'notify-keyspace-events', '');
    listener.disconnect();
    return names;
  };
}
/** Somebody looks at the lists, and a minute passes. */
async function aMinuteOfUse() {
  await shown();
  scene.clock.move(MINUTE_MS);
}
/** What readers show, each in its own command. */
async function shown(): Promise<string[]> {
  const admin = scene.sandbox.as(scene.sandbox.admin);
  const commands: [string, Record<string, string>?][] = [['top'], ['search', { words: 'e' }]];
  return Promise.all(
    commands.map(async ([words, values]) => {
      const { message } = await admin.command(general, words, values);
      return JSON.stringify([message?.content, message?.embeds, message?.components]);
    }),
  );
}

describe('one broken value costs one article, until the next minute', () => {
  // Withstands (Damaged data): A row is cut off, or a text is gone
  // → one article is missing for a minute
  test.each([
    ['a row that was cut off', () => scene.redis.redis.hset(keys().articles, closed, '3 1 ol 30')],
    ['a row without channels', () => breakRow(closed, (row) => row.replace(general, ','))],
    ['a row without its end', () => breakRow(closed, (row) => row.slice(0, -3))],
    [
      'a row with more votes than people',
      () => breakRow(closed, (row) => `${'9'.repeat(20)}${row}`),
    ],
    ['a text that is gone', () => scene.redis.redis.hdel(keys().texts, closed)],
    [
      'a text that is none',
      () => scene.redis.redis.hset(keys().texts, closed, 'not a link\nTitle'),
    ],
  ])('one broken value costs one article, until the next minute: %s', async (_, damage) => {
    await damage();
    expect(await scene.article(closed)).toBeNull();
    for (const text of await shown()) expect(text).toContain('left.example/closed-lately');
    await expectHealed();
  });

  test('one broken value costs no other article its place in a list, not for a moment', async () => {
    const lists = [
      keys().open,
      ...keys().rankings,
      ...(['score', 'time', 'votes'] as const).map((name) => keys().ofGroup(name, general)),
    ];
    const deleted = await followDeletions();
    await breakRow(closed, (row) => row.replace(general, ','));
    scene.bot.ranking.onDamaged(guild);
    await expectHealed();
    const names = await deleted();
    expect(names).toContain(storeKeys(scene.sandbox, guild).complete);
    expect(names.filter((name) => lists.includes(name))).toEqual([]);
  });

  test('one broken value is not deleted while a rebuild is under way, which could have passed by its article', async () => {
    const of = storeKeys(scene.sandbox, guild);
    const { redis } = scene.redis;
    await scene.whole();
    const taken = await takeLease(scene.bot.store, { key: of.lease('rebuild') }, scene.clock.now());
    if (taken.status !== 'taken') throw new Error('A rebuild is under way.');
    await breakRow(closed, (row) => row.slice(0, -3));
    await scene.bot.due.now(guild, 'check');
    expect(await redis.hexists(keys().articles, closed)).toBe(1);
    expect(await redis.exists(of.complete)).toBe(1);
    await releaseLease(scene.bot.store, taken.lease);
    scene.clock.move(MINUTE_MS);
    await expectHealed();
  });

  test('one broken value costs its article nothing where its deletion was broken off', async () => {
    const { redis } = scene.redis;
    const { complete } = storeKeys(scene.sandbox, guild);
    // A start reads the newest messages, and these are newer.
    const { world, channels, admin } = scene.sandbox;
    for (let n = 0; n < 100; n += 1) {
      const id = world.snowflake(scene.clock.now() - 15 * DAY_MS);
      createMessage(world, channels.general, { id, authorId: admin, content: 'Hello' });
    }
    await breakRow(closed, (row) => row.slice(0, -3));
    await redis.acl('SETUSER', 'default', '-unlink');
    scene.bot.ranking.onDamaged(guild);
    const isBegun = async () =>
      (await redis.exists(complete)) === 0 || (await redis.hexists(keys().articles, closed)) === 0;
    await expect.poll(isBegun).toBe(true);
    await scene.bot.stop();
    await redis.acl('SETUSER', 'default', '+unlink');
    await scene.restartBot();
    await expectHealed();
  });
});

describe('a key that is gone or of a wrong type is made again', () => {
  const names = ['articles', 'texts', 'score', 'time', 'votes', 'open', 'links'] as const;
  const parts: [name: string, key: () => string][] = [
    ...names.map((name): [string, () => string] => [name, () => keys()[name]]),
    ['the score of a group', () => keys().ofGroup('score', general)],
  ];
  // Withstands (Damaged data): Keys of the ranking are evicted or have another type
  // → they are made again
  test.each(parts)('%s is made again where it was evicted', async (_, key) => {
    await scene.redis.redis.del(key());
    scene.bot.ranking.onDamaged(guild);
    await expectHealed();
  });

  test.each(['score', 'time', 'articles', 'texts', 'open'] as const)(
    'the key %s, evicted and perhaps written again, is found within a minute of a look and made again',
    async (name) => {
      const { redis } = scene.redis;
      const key = keys()[name];
      if (name === 'open') await redis.srem(key, open);
      else if (name === 'score' || name === 'time') await redis.zremrangebyrank(key, 0, -2);
      else {
        const fields = await redis.hkeys(key);
        await redis.hdel(key, ...fields.filter((field) => field !== open));
      }
      await aMinuteOfUse();
      await expectHealed();
    },
  );

  test('articles and texts that were both evicted are found within a minute of a look', async () => {
    await scene.redis.redis.del(keys().articles, keys().texts);
    await aMinuteOfUse();
    await expectHealed();
  });

  test('a mark that was evicted with all rows is there again, also where the rows were taken in before anybody noticed', async () => {
    const { due } = scene.bot;
    await scene.redis.redis.del(keys().articles);
    await due.now(guild, 'scan');
    await scene.eventually(
      () => scene.redis.redis.hlen(keys().articles),
      (count) => count >= 3,
      'taken in',
    );
    await due.plan(guild, 'check', 0);
    await expectHealed();
  });

  test('links of which some are left are made again within a minute of a look', async () => {
    const { redis } = scene.redis;
    const [links, before] = [keys().links, await redis.hgetall(keys().links)];
    await redis.hdel(links, Object.keys(before)[0] ?? '');
    await aMinuteOfUse();
    await scene.minute();
    await scene.settled();
    expect(await redis.hgetall(links)).toEqual(before);
  });

  test.each(parts)('%s is made again where it has another type', async (_, key) => {
    await scene.redis.redis.set(key(), 'not what it was');
    scene.bot.ranking.onDamaged(guild);
    await expectHealed();
  });

  test.each([
    ['a mark that is no number', () => scene.redis.redis.hset(keys().articles, 'mark', 'nan')],
    ['a mark below one', () => scene.redis.redis.hset(keys().articles, 'mark', '-3')],
    [
      'one link of the index',
      async () => {
        const [digest = ''] = await scene.redis.redis.hkeys(keys().links);
        await scene.redis.redis.hdel(keys().links, digest);
      },
    ],
    [
      'a link of no article',
      async () => {
        const [digest = ''] = await scene.redis.redis.hkeys(keys().links);
        await scene.redis.redis.hset(keys().links, digest, 'no article');
      },
    ],
  ])('a key that is gone or of a wrong type is made again: %s', async (_, damage) => {
    await damage();
    expect((await scene.article(open))?.up).toBe(3);
    scene.react(scene.sandbox.members[5] ?? '', open, '👍');
    await scene.settled();
    scene.sandbox.as(scene.sandbox.members[5] ?? '').unreact(general, open, '👍');
    scene.bot.ranking.onDamaged(guild);
    await expectHealed();
  });

  test('a key of a wrong type with which a rebuild begins is made again', async () => {
    const { redis } = scene.redis;
    const of = storeKeys(scene.sandbox, guild);
    for (const key of [of.lease('rebuild'), keys().texts, keys().ofGroup('score', general)]) {
      await redis.set(key, 'not what it was');
    }
    await redis.del(of.complete);
    await shown();
    await expectHealed();
    await scene.whole();
    // A check that comes during the rebuild is made after it.
    await redis.del(of.complete);
    await redis.set(keys().interesting, 'not what it was');
    scene.bot.ranking.onDamaged(guild);
    await expectHealed();
    await scene.whole();
  });

  // Withstands (Damaged data): A key that nobody reads is evicted
  // → it is made again at night
  test('a key that is gone is made again at the next start, and in the night', async () => {
    await scene.redis.redis.del(keys().articles);
    await scene.restartBot();
    await expectHealed();
    await scene.redis.redis.del(keys().votes);
    scene.clock.move(DAY_MS);
    await expectHealed();
    scene.clock.move(-DAY_MS);
  });

  // Withstands (Damaged data): All articles are evicted
  // → they are read again; the host is told what is lost
  test('the host is told of evicted articles what does not come back, and what is missing', async () => {
    const { store, log } = scene.bot;
    const { imported } = storeKeys(scene.sandbox, guild);
    await scene.redis.redis.sadd(imported, '1');
    await scene.redis.redis.del(keys().articles);
    scene.bot.ranking.onDamaged(guild);
    const errors = vi.spyOn(log, 'error');
    const warnings = vi.spyOn(log, 'warn');
    await expectHealed();
    const damage = expect.objectContaining({ guild, isGone: true });
    expect(errors).toHaveBeenCalledWith(
      damage,
      expect.stringContaining('imported articles have to be imported again'),
    );
    expect(await store.redis.exists(imported)).toBe(0);
    // Nothing was ever set here.
    const noRecords = expect.stringContaining('no settings, digests and blocks');
    await expect.poll(() => warnings.mock.calls).toContainEqual([{ guild }, noRecords]);
  });

  // Withstands (Damaged data): The settings have another type
  // → defaults hold
  test('the settings are set aside, and have their defaults', async () => {
    const { store } = scene.bot;
    const { settings } = storeKeys(scene.sandbox, guild);
    await scene.redis.redis.set(settings, 'not what it was');
    scene.bot.ranking.onDamaged(guild);
    const language = async () => (await readSettings(store, guild).catch(() => null))?.language;
    await expect.poll(language).toBeNull();
    await writeSetting(store, guild, 'language', 'zh-CN');
    expect(await scene.redis.redis.get(`${settings}:damaged`)).toBe('not what it was');
    await scene.redis.redis.del(settings, `${settings}:damaged`);
  });
});

describe('the voters of an article are read again', () => {
  // Withstands (Damaged data): An article’s voters are evicted
  // → they are read from Discord
  test.each([
    ['that are gone', () => scene.redis.redis.del(keys().voters(open))],
    ['of which one is gone', () => scene.redis.redis.spop(keys().voters(open))],
    ['of a wrong type', () => scene.redis.redis.set(keys().voters(open), 'not what it was')],
    ['that a row does not count', () => breakRow(open, (row) => row.replace(/^\d+ \d+/, '2 2'))],
    [
      'of which one stands on the other side',
      async () => {
        const voter = (await scene.redis.redis.smembers(keys().voters(open)))[0] ?? '';
        const other = voter.startsWith('-') ? voter.slice(1) : `-${voter}`;
        await scene.redis.redis.srem(keys().voters(open), voter);
        await scene.redis.redis.sadd(keys().voters(open), other);
      },
    ],
    ['whose second reactions are', () => scene.redis.redis.set(keys().older(open), 'no set')],
  ])('the voters of an article are read again: %s', async (_, damage) => {
    await damage();
    scene.recounts.soon(guild);
    await expectHealed();
  });

  test('damaged voters of an article are read again after a vote met them', async () => {
    await scene.redis.redis.set(keys().voters(open), 'not what it was');
    const member = scene.sandbox.members[5] ?? '';
    scene.react(member, open, '👍');
    await scene.settled();
    scene.sandbox.as(member).unreact(general, open, '👍');
    await expectHealed();
  });
});
