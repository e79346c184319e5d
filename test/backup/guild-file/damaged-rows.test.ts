import { afterAll, beforeAll, expect, test } from 'vitest';
import { postArticle } from '../../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';
import { readEdition } from '../../../src/editions/stored-editions.ts';
import { walkErasing } from '../../../src/community/erasures.ts';
import { readWebSettings, writeWebSettings } from '../../../src/web/web-settings.ts';
import {
  bytesOf,
  type Database,
  exported,
  GUILD,
  openDatabase,
  restored,
  signed,
} from './guild-files.ts';
import { checkGuildFiles } from '../../../src/backup/guild-file/read.ts';
import { VOTERS_AT_MOST } from '../../../src/backup/guild-file/format.ts';
import { NOW } from './random-guild.ts';

// One row that cannot be read keeps nothing else out of a guild's file.

let redis: TestRedis;
let database: Database;
const keys = () => storeKeys(database.store, GUILD);
const member = '200000000000000001';
const block = JSON.stringify({ by: member });

beforeAll(async () => {
  redis = await startTestRedis();
  database = openDatabase(redis.redis);
  for (const n of [1, 2]) {
    const link = `https://rows.example/${n}`;
    await postArticle(database.ranking, {
      guild: GUILD,
      id: snowflakeAt(NOW - n * 60_000),
      title: `Row ${n}`,
      link,
      linkName: link,
      poster: member,
      home: '300000000000000001',
      channel: '300000000000000001',
      listed: true,
    });
  }
  await redis.redis.hset(keys().blocks, `member:${member}`, block);
  await redis.redis.hset(keys().erased, member, 5);
  await redis.redis.sadd(keys().optedOut, member);
  await redis.redis.sadd(keys().imported, snowflakeAt(NOW));
});
afterAll(() => redis.stop());

const kindsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .slice(1, -1)
    .map((line) => (JSON.parse(line) as { kind: string }).kind);

const rows: [what: string, damage: () => Promise<unknown>, heal: () => Promise<unknown>][] = [
  [
    'a block',
    () => redis.redis.hset(keys().blocks, 'member:1', '{'),
    () => redis.redis.hdel(keys().blocks, 'member:1'),
  ],
  [
    'the time of an erasure',
    () => redis.redis.hset(keys().erased, '7', 'long ago'),
    () => redis.redis.hdel(keys().erased, '7'),
  ],
  [
    'a member who opted out',
    () => redis.redis.sadd(keys().optedOut, 'somebody'),
    () => redis.redis.srem(keys().optedOut, 'somebody'),
  ],
  [
    'an imported article',
    () => redis.redis.sadd(keys().imported, 'x'),
    () => redis.redis.srem(keys().imported, 'x'),
  ],
  [
    'a digest',
    () => redis.redis.hset(keys().digests, 'daily', '[]'),
    () => redis.redis.hdel(keys().digests, 'daily'),
  ],
  [
    'a setting',
    () => redis.redis.hset(keys().settings, 'mark', '"many"'),
    () => redis.redis.hdel(keys().settings, 'mark'),
  ],
  [
    'the board',
    () => redis.redis.hset(keys().board, 'choice', 'here'),
    () => redis.redis.hdel(keys().board, 'choice'),
  ],
  [
    'an edition',
    async () => {
      await redis.redis.zadd(keys().editionList, 1, 'daily:2026-11-01');
      await redis.redis.hset(keys().editions('daily'), '2026-11-01', 'null');
    },
    () => redis.redis.del(keys().editionList, keys().editions('daily')),
  ],
  [
    'all digests, of another type,',
    () => redis.redis.set(keys().digests, 'x'),
    () => redis.redis.del(keys().digests),
  ],
  [
    'all settings, of another type,',
    () => redis.redis.set(keys().settings, 'x'),
    () => redis.redis.del(keys().settings),
  ],
  [
    'an article',
    () => redis.redis.hset(guildKeys(database.ranking, GUILD).articles, snowflakeAt(NOW), 'no row'),
    () => redis.redis.hdel(guildKeys(database.ranking, GUILD).articles, snowflakeAt(NOW)),
  ],
];

// Withstands (Damaged data): One stored row, or all of one kind, cannot be read for a backup
// → everything else is in it, and a restore takes it
test.each(rows)(
  '%s that cannot be read keeps nothing else out of a file',
  async (_, damage, heal) => {
    await damage();
    const text = await exported(database);
    await heal();
    const [file] = await checkGuildFiles(bytesOf(text));
    expect(file).toMatchObject({ guild: GUILD, articles: 2 });
    expect(kindsOf(text).sort()).toEqual([
      'article',
      'article',
      'block',
      'erased',
      'imported',
      'opted-out',
    ]);
  },
);

test('an edition that cannot be read is put back from a file', async () => {
  const keysOf = keys();
  const which = { name: 'daily', date: '2026-11-01' };
  const edition = { articles: [], fromMs: 0, postedAtMs: 1, channel: GUILD, isPublic: true };
  const file = signed([{ kind: 'edition', ...which, ...edition }]);
  await redis.redis.hset(keysOf.editions('daily'), which.date, 'null');
  expect((await restored(database, file)).edition).toMatchObject({ put: 1 });
  expect(await readEdition(database.store, GUILD, which)).toMatchObject(edition);
  expect((await restored(database, file)).edition).toMatchObject({ unchanged: 1 });
  await redis.redis.del(keysOf.editionList, keysOf.editions('daily'));
});

test('an invite that cannot be read keeps no other setting of the web page out of a file', async () => {
  await writeWebSettings(database.store, GUILD, { open: true, about: 'What we read.' });
  await redis.redis.hset(keys().web, 'invite', 'x');
  const web = { open: true, about: 'What we read.', invite: null };
  expect(await readWebSettings(database.store, GUILD)).toMatchObject(web);
  expect(kindsOf(await exported(database))).toContain('web');
  await redis.redis.del(keys().web);
});

test('an erased message whose channel cannot be read keeps no other from being deleted', async () => {
  const [article, channel] = [snowflakeAt(NOW), '300000000000000001'];
  await redis.redis.hset(keys().erasing, {
    [article]: channel,
    [snowflakeAt(NOW - 1)]: '',
    x: 'y',
  });
  const walked = [];
  for await (const one of walkErasing(database.store, GUILD)) walked.push(one);
  expect(walked).toEqual([{ article, channel }]);
  await redis.redis.del(keys().erasing);
});

const fill = (count: number) =>
  `for n = 1, ${count} do redis.call('SADD', KEYS[1], string.format('4%017d', n)) end`;

test('an article with more voters than a file takes of it is in the file with its votes alone', async () => {
  const { ranking } = database;
  const article = snowflakeAt(NOW - 60_000);
  const voters = guildKeys(ranking, GUILD).voters(article);
  const written = async () => {
    const text = await exported(database);
    await checkGuildFiles(bytesOf(text));
    const line = text.split('\n').find((one) => one.includes(article));
    return JSON.parse(line ?? '{}') as { voters?: { up: string[] } };
  };
  await redis.redis.eval(fill(VOTERS_AT_MOST), 1, voters);
  expect((await written()).voters?.up).toHaveLength(VOTERS_AT_MOST);
  await redis.redis.eval(fill(VOTERS_AT_MOST + 1), 1, voters);
  const without = await written();
  expect(without).toMatchObject({ kind: 'article', id: article });
  expect(without).not.toHaveProperty('voters');
  await redis.redis.del(voters);
});
