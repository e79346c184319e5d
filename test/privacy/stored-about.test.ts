import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStoredAbout, storedKinds } from '../../src/privacy/stored-about.ts';
import { memberSubject } from '../../src/community/block-subject.ts';
import { writeBlock } from '../../src/community/blocks.ts';
import { noteErased } from '../../src/community/erasures.ts';
import { beginImport } from '../../src/history/import/stored-imports.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { setUnnamed } from '../../src/community/unnamed.ts';
import { noteReport } from '../../src/community/stored-reports.ts';
import { saveArticle } from '../../src/personal/stored-personal.ts';
import { findSetUpBy } from '../../src/bot.ts';
import { guildTag } from '../../src/redis/store-keys.ts';
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
