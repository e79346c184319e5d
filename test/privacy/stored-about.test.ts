import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStoredAbout, type StoredKind, storedKinds } from '../../src/privacy/stored-about.ts';
import { memberSubject } from '../../src/community/block-subject.ts';
import { writeBlock } from '../../src/community/blocks.ts';
import { noteErased } from '../../src/community/erasures.ts';
import { beginImport } from '../../src/history/import/stored-imports.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { setUnnamed } from '../../src/community/unnamed.ts';
import { noteReport } from '../../src/community/stored-reports.ts';
import { mute, saveArticle, writeAsked, writeSeen } from '../../src/personal/stored-personal.ts';
import { findSetUpBy } from '../../src/bot.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { guildTag } from '../../src/redis/store-keys.ts';
import { snowflakeTimeMs } from '../../src/runtime/snowflake.ts';
import { translate } from '../../src/text/catalogue.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

test('the privacy policy for hosts lists each kind of stored data in the words of /me data', () => {
  const policy = readFileSync('docs/PRIVACY.md', 'utf8');
  const lines = storedKinds.map((kind) => `- ${translate('en', `privacy.stored.${kind}`)}`);
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter((line) => !policy.split('\n').includes(line))).toEqual([]);
});

/** Where a member's id may stand in Redis, and the kind of their copy that shows it. */
const shownBy: Record<string, (typeof storedKinds)[number]> = {
  articles: 'posts',
  removed: 'posts',
  voters: 'votes',
  older: 'votes',
  personal: 'personal',
  reports: 'reports',
  blocks: 'block',
  'opted-out': 'optedOut',
  unnamed: 'unnamedOnTheWeb',
  erased: 'erased',
  digests: 'managed',
  board: 'managed',
  import: 'managed',
};

test('every place in Redis with a member’s id is one that the member’s own copy shows', async () => {
  const { bot, sandbox } = scene;
  const { guildId: guild, admin } = sandbox;
  const general = sandbox.channels.general.id;
  const [member = ''] = sandbox.members;
  const [own, removed, other] = [
    await scene.post(admin),
    await scene.post(admin),
    await scene.post(member),
  ];
  await scene.moderate(sandbox.moderator, 'remove', removed);
  await scene.vote(admin, other);
  const digest = { channel: general, time: '18:00', timezone: 'UTC' };
  await sandbox.as(admin).command(general, 'digest set', digest);
  await saveArticle(bot.store, guild, admin, own);
  await noteReport(bot.store, guild, { article: other, member: admin, reason: 'spam' }, 1);
  const block = { posting: true, voting: false, reason: '', sinceMs: 1, untilMs: null };
  await writeBlock(bot.store, guild, { ...block, by: admin, subject: memberSubject(member) });
  const late = { ...block, reason: 'Late', untilMs: 2000, by: member };
  await writeBlock(bot.store, guild, { ...late, subject: memberSubject(admin) });
  const plan = { channels: [general], fromMs: 1, untilMs: 2 };
  await beginImport(bot.store, guild, { plan, by: admin, channel: general, now: 3 });
  await setOptedOut(bot.store, guild, admin, true);
  await setUnnamed(bot.store, guild, admin, true);
  await noteErased(bot.store, guild, admin, 1);

  await bot.board.put(guild, general, admin);
  const setUpBy = (of: string, by: string) => findSetUpBy(bot.store, of, by);
  const copyOf = (by: string) => readStoredAbout({ ...bot, setUpBy }, guild, by);
  const copy = await copyOf(admin);
  expect(copy?.managed).toMatchObject({ setUp: ['digest daily', 'board'] });
  expect((await copyOf(member))?.managed).toMatchObject({ setUp: [] });
  expect(new Set(Object.keys(copy ?? {}))).toEqual(new Set(storedKinds));
  const [since, until] = ['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:02.000Z'];
  expect(copy).toMatchObject({
    votes: [{ article: other, vote: 'up' }],
    reports: [{ article: other, reason: 'spam', at: since }],
    block: { posting: true, voting: false, reason: 'Late', since, until },
    erased: since,
    managed: { setUp: ['digest daily', 'board'], blocked: [`member:${member}`], lastImport: true },
  });
  // What others did is in nobody else’s copy.
  const [stranger = ''] = scene.crowd(1);
  const needs = { ...bot, setUpBy: async () => ['digest daily'] };
  expect(await readStoredAbout(needs, guild, stranger)).toEqual({
    managed: { setUp: ['digest daily'], blocked: [] },
  });
  expect(await copyOf(stranger)).toBeNull();

  const places = new Set<string>();
  const tag = guildTag(bot.store.applicationId, guild);
  for (const key of await bot.store.redis.keys(`${tag.replaceAll(/[[\]]/g, '\\$&')}*`)) {
    if (!`${key}\n${await wholeOf(key)}`.includes(admin)) continue;
    const [place = ''] = key.slice(tag.length).split(':');
    places.add(place);
  }
  expect([...places].filter((place) => shownBy[place] === undefined)).toEqual([]);
  expect(new Set([...places].map((place) => shownBy[place]))).toEqual(new Set(storedKinds));
});

test('each thing that is stored about a member is in the copy of one of whom nothing else is', async () => {
  const { bot, sandbox, clock } = scene;
  const { store, ranking } = bot;
  const { guildId: guild, channels } = sandbox;
  const general = channels.general.id;
  const [poster = ''] = scene.crowd(1);
  const article = await scene.rank({ title: 'Known', atMs: clock.now() - 1000, poster });
  const block = { posting: true, voting: true, reason: '', sinceMs: 1, untilMs: null };
  const plan = { channels: [general], fromMs: 1, untilMs: 2 };
  const seen = { shown: [article], voted: [] };
  /** Ways to each kind, and what of it the copy then holds. */
  const ways: Record<StoredKind, [(member: string) => Promise<unknown>, unknown][]> = {
    posts: [
      [
        (own) => scene.rank({ title: 'Own', atMs: clock.now() - 2000, poster: own }),
        [{ title: 'Own' }],
      ],
    ],
    votes: [
      [
        (member) => setVote(ranking, { guild, article, member, vote: 'up' }, clock.now()),
        [{ article, vote: 'up' }],
      ],
    ],
    personal: [
      [
        (member) => writeSeen(store, guild, member, article),
        { lookedUntil: new Date(snowflakeTimeMs(article)).toISOString() },
      ],
      [(member) => saveArticle(store, guild, member, article), { saved: [article] }],
      [
        (member) => mute(store, guild, member, { kind: 'word', value: 'x' }),
        { muted: [{ kind: 'word', value: 'x' }] },
      ],
      [(member) => writeAsked(store, guild, member, seen), { askedToVote: [article] }],
      [
        async (member) => {
          await writeAsked(store, guild, member, seen);
          await writeAsked(store, guild, member, { shown: [], voted: [article] });
        },
        { askedToVote: [], votedEarlyOn: [article] },
      ],
    ],
    reports: [
      [
        (member) => noteReport(store, guild, { article, member, reason: 'spam' }, 1),
        [{ article, reason: 'spam' }],
      ],
    ],
    block: [
      [
        (member) =>
          writeBlock(store, guild, { ...block, by: poster, subject: memberSubject(member) }),
        { posting: true, voting: true },
      ],
    ],
    optedOut: [[(member) => setOptedOut(store, guild, member, true), true]],
    unnamedOnTheWeb: [[(member) => setUnnamed(store, guild, member, true), true]],
    erased: [[(member) => noteErased(store, guild, member, 1), '1970-01-01T00:00:00.001Z']],
    managed: [
      [
        (by) => writeBlock(store, guild, { ...block, by, subject: memberSubject(poster) }),
        { setUp: [], blocked: [`member:${poster}`] },
      ],
      [
        (by) => beginImport(store, guild, { plan, by, channel: general, now: 3 }),
        { setUp: [], blocked: [], lastImport: true },
      ],
    ],
  };
  const needs = { ...bot, setUpBy: async () => [] };
  const copyOf = (by: string) => readStoredAbout(needs, guild, by);
  for (const kind of storedKinds) {
    for (const [write, found] of ways[kind]) {
      const [member = ''] = scene.crowd(1);
      expect(await copyOf(member)).toBeNull();
      await write(member);
      const copy = await copyOf(member);
      expect(Object.keys(copy ?? {})).toEqual([kind]);
      expect(copy).toMatchObject({ [kind]: found });
    }
  }
});

/** All that a key holds, as text. */
async function wholeOf(key: string): Promise<string> {
  const { redis } = scene.bot.store;
  switch (await redis.type(key)) {
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1'));
    default:
      return (await redis.get(key)) ?? '';
  }
}
