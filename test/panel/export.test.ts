import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../discord-box/src/index.ts';
import { openMemberLimits } from '../../src/community/member-limits.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { translate } from '../../src/text/catalogue.ts';
import { takeLease } from '../../src/redis/lease.ts';
import { siteSubject } from '../../src/community/block-subject.ts';
import { writeBlock } from '../../src/community/blocks.ts';
import { isImported, noteImported } from '../../src/articles/imported.ts';
import { noteErased } from '../../src/community/erasures.ts';
import { isUnnamed, setUnnamed } from '../../src/community/unnamed.ts';
import { readEdition, writeEdition } from '../../src/editions/stored-editions.ts';
import { isOptedOut, setOptedOut } from '../../src/community/opted-out.ts';
import { zDigest } from '../../src/digests/digest-settings.ts';
import { saveDigest } from '../../src/digests/stored-digests.ts';
import { readSettings, writeSetting } from '../../src/community/settings.ts';
import { closeArticle } from '../../src/ranking/articles/closing.ts';
import { readVoter } from '../../src/ranking/ballots/voters.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { fateLines } from '../../src/backup/attached-file.ts';
import { KINDS } from '../../src/backup/guild-file/format.ts';
import type { Restored } from '../../src/backup/guild-file/restore-guild.ts';
import { openPanel } from '../fixtures/open-panel.ts';

let scene: Scene;
let general: string;
let admin: string;

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  admin = scene.sandbox.admin;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.bot.memberLimits = openMemberLimits();
  await scene.bot.ranking.changes.flush();
  await scene.redis.flush();
  await scene.redis.redis.set(complete(), Date.now());
});

const digest = () =>
  zDigest.parse({ channel: general, schedule: { every: 'day', time: '09:00', zone: 'UTC' } });
const complete = () => storeKeys(scene.sandbox, scene.sandbox.guildId).complete;
const as = (who: string) => scene.sandbox.as(who);

const voterOf = (article: string, who: string) =>
  readVoter(scene.bot.ranking, scene.sandbox.guildId, article, who);

async function exported(): Promise<{ name: string; data: Buffer }> {
  const { message, ephemeral } = await openPanel(as(admin), general, 'export');
  expect(ephemeral).toBe(true);
  const [file] = message?.attachments ?? [];
  const response = await fetch(file?.url ?? '');
  return { name: file?.filename ?? '', data: Buffer.from(await response.arrayBuffer()) };
}
function give(data: Uint8Array | string, who = admin): Promise<Answer> {
  const file = { filename: 'frontpage.ndjson', data: Buffer.from(data) };
  return as(who).command(general, 'frontpage restore', { file });
}
/** What the answer says in the end. */
function shownOf(shown: Answer): string {
  const messages = as(admin).messages(general, 100);
  return messages.find(({ id }) => id === shown.message?.id)?.content ?? '';
}
const change = (data: Buffer, from: string, to: string) => data.toString().replace(from, to);

const said = async (text: string) => (await give(text)).message?.content;
const refused = (text: string) => said(resigned(text));

describe('the export section of /frontpage panel', () => {
  test('the export section of /frontpage panel exports a file with which a lost server is put back, votes and settings and all', async () => {
    const article = await scene.post(admin, { title: 'A story' });
    const [grace = ''] = scene.sandbox.members;
    await scene.vote(grace, article);
    await writeSetting(scene.bot.store, scene.sandbox.guildId, 'repost-days', 30);
    const { name, data } = await exported();
    expect(name).toMatch(/^frontpage-\d+-\d{4}-\d\d-\d\d\.ndjson$/);
    await scene.redis.flush();
    await scene.redis.redis.set(complete(), Date.now());

    const given = await give(data);
    expect(given.ephemeral).toBe(true);
    await expect.poll(() => shownOf(given)).toContain('The file is restored');
    expect(shownOf(given)).toContain('Articles: 1 restored');
    expect(await scene.article(article)).toMatchObject({ up: 2, title: 'A story' });
    expect(await voterOf(article, grace)).toMatchObject({ vote: 'up' });
    const settings = await readSettings(scene.bot.store, scene.sandbox.guildId);
    expect(settings['repost-days']).toBe(30);
    expect((await scene.bot.rules.read(scene.sandbox.guildId)).settings['repost-days']).toBe(30);
    const again = await give(data);
    await expect.poll(() => shownOf(again)).toContain('Articles: 0 restored, 1 unchanged');
  });

  test('a restore has the votes counted anew at once, also those that the file does not know', async () => {
    const article = await scene.post(admin, { title: 'A story' });
    const { data } = await exported();
    const [grace = ''] = scene.sandbox.members;
    scene.secretly(() => scene.react(grace, article, '👍'));
    const given = await give(data);
    await expect.poll(() => shownOf(given)).toContain('The file is restored');
    await scene.expectTally(article, 2, 0);
  });

  test('a restore leaves out closed articles whose messages were deleted since, and keeps those that stand', async () => {
    const [gone, stands] = [await scene.post(admin), await scene.post(admin)];
    for (const id of [gone, stands]) {
      await closeArticle(scene.bot.ranking, scene.sandbox.guildId, id);
    }
    await scene.bot.due.look();
    const { data } = await exported();
    scene.secretly(() => as(admin).delete(general, gone));
    await scene.redis.flush();
    await scene.redis.redis.set(complete(), Date.now());
    const given = await give(data);
    await expect.poll(() => shownOf(given)).toContain('The file is restored');
    expect(await scene.article(gone)).toBeNull();
    expect(await scene.article(stands)).toMatchObject({ closed: true });
  });

  test('a restore says that members who came back since are opted out again, and nothing of it where there are none', async () => {
    const { store } = scene.bot;
    const { guildId, members } = scene.sandbox;
    const [grace = ''] = members;
    await setOptedOut(store, guildId, grace, true);
    const { data } = await exported();
    const unchanged = await give(data);
    await expect.poll(() => shownOf(unchanged)).toContain('The file is restored');
    expect(shownOf(unchanged)).not.toContain('opted out again');
    await setOptedOut(store, guildId, grace, false);
    const given = await give(data);
    await expect
      .poll(() => shownOf(given))
      .toContain('members who came back since are opted out again');
    expect(await isOptedOut(store, guildId, grace)).toBe(true);
  });

  test('a block and an opt-out that a restore brings hold at once', async () => {
    const { bot, sandbox } = scene;
    const { guildId: guild, members } = sandbox;
    const [grace = '', wang = ''] = members;
    const subject = siteSubject('blocked.example')!;
    const block = { posting: true, voting: false, by: admin, reason: '', untilMs: null };
    await writeBlock(bot.store, guild, { ...block, subject, sinceMs: scene.clock.now() });
    await setOptedOut(bot.store, guild, grace, true);
    const { data } = await exported();
    await scene.redis.flush();
    await scene.redis.redis.set(complete(), Date.now());
    await bot.rules.reload(guild);
    const given = await give(data);
    await expect.poll(() => shownOf(given)).toContain('The file is restored');
    const rules = bot.rules.known(guild);
    expect(rules?.optedOut.has(grace)).toBe(true);
    expect(rules?.optedOut.has(wang)).toBe(false);
    expect(rules?.blocks.size).toBe(1);
  });

  test.each(['block', 'opted-out'] as const)(
    'who restores a line of %s is told that what was lifted since holds again',
    (kind) => {
      const again = translate('en', 'data.restore.again');
      const none = { put: 0, unchanged: 1, left: 0 };
      const lines = (put: number) => {
        const fates = Object.fromEntries(KINDS.map((each) => [each, none])) as Restored;
        return fateLines('en', { ...fates, [kind]: { ...none, put } });
      };
      expect(lines(0)).not.toContain(again);
      expect(lines(1)).toContain(again);
    },
  );

  test('a restored file remembers who hid their name, who was erased, what was imported, and each edition', async () => {
    const { store } = scene.bot;
    const { guildId: guild, members } = scene.sandbox;
    const [grace = '', wang = ''] = members;
    const keys = storeKeys(store, guild);
    await setUnnamed(store, guild, grace, true);
    await noteErased(store, guild, wang, scene.clock.now());
    await noteImported(store, guild, general);
    const of = { name: 'daily', date: '2026-02-10' };
    const none = { articles: [], rising: [], firstPosts: [], discussed: [] };
    const at = { postedAtMs: scene.clock.now(), fromMs: scene.clock.now() - 1000 };
    const edition = { ...none, ...at, channel: general, message: null, isPublic: true };
    await writeEdition(store, guild, of, edition);
    const { data } = await exported();
    await scene.redis.flush();
    await scene.redis.redis.set(complete(), Date.now());
    const given = await give(data);
    await expect.poll(() => shownOf(given)).toContain('The file is restored');
    expect(await isUnnamed(store, guild, grace)).toBe(true);
    expect(await isUnnamed(store, guild, wang)).toBe(false);
    expect(await store.redis.hkeys(keys.erased)).toEqual([wang]);
    expect(await isImported(store, guild, general)).toBe(true);
    expect(await readEdition(store, guild, of)).toMatchObject(edition);
  });

  test('of two whole parts of a server in a file, the newer is restored, wherever it stands', async () => {
    const { store } = scene.bot;
    const { guildId } = scene.sandbox;
    const partOf = async (days: number, madeAt: string) => {
      await writeSetting(store, guildId, 'repost-days', days);
      const text = (await exported()).data.toString();
      return resigned(text.replace(/"madeAt":"[^"]+"/, `"madeAt":"${madeAt}"`));
    };
    const older = await partOf(1, '2020-01-01T00:00:00.000Z');
    const newer = await partOf(2, '2020-01-02T00:00:00.000Z');
    for (const parts of [older + newer, newer + older]) {
      await writeSetting(store, guildId, 'repost-days', 9);
      const given = await give(parts);
      await expect.poll(() => shownOf(given)).toContain('The file is restored');
      expect((await readSettings(store, guildId))['repost-days']).toBe(2);
    }
  });

  test('the export section of /frontpage panel takes a file that was packed', async () => {
    const article = await scene.post(admin, { title: 'A story' });
    const { data } = await exported();
    await scene.redis.flush();
    await scene.redis.redis.set(complete(), Date.now());
    const given = await give(gzipSync(data));
    await expect.poll(() => shownOf(given)).toContain('The file is restored');
    expect(await scene.article(article)).not.toBeNull();
  });

  test('the export section of /frontpage panel refuses a second file while one is being restored', async () => {
    const { data } = await exported();
    const lease = await takeLease(
      scene.bot.store,
      { key: storeKeys(scene.sandbox, scene.sandbox.guildId).lease('restore') },
      scene.clock.now(),
    );
    expect(lease.status).toBe('taken');
    const given = await give(data);
    await expect.poll(() => shownOf(given)).toContain('already being');
  });

  test('the export section of /frontpage panel says that it was interrupted where the last step stood', async () => {
    const { digests } = storeKeys(scene.sandbox, scene.sandbox.guildId);
    await saveDigest(scene.bot.store, scene.sandbox.guildId, 'daily', digest());
    const { data } = await exported();
    await scene.redis.redis.del(digests);
    await scene.redis.redis.set(digests, 'of a wrong type');
    const given = await give(data);
    await expect.poll(() => shownOf(given)).toContain('The restore was interrupted');
    await scene.redis.redis.del(digests);
    const again = await give(data);
    await expect.poll(() => shownOf(again)).toContain('The file is restored');
  });

  test('an export that is long is packed with gzip, and refused where Discord takes no such file', async () => {
    const { store, clock } = scene.bot;
    const block = { posting: true, voting: false, by: '6', sinceMs: clock.now(), untilMs: null };
    for (let i = 1; i <= 800; i++) {
      const subject = siteSubject(`${i}.example`)!;
      const reason = 'x'.repeat(400);
      await writeBlock(store, scene.sandbox.guildId, { ...block, subject, reason });
    }
    const { name, data } = await exported();
    expect(name).toMatch(/\.ndjson\.gz$/);
    expect(gunzipSync(data).toString().split('\n')).toHaveLength(803);
    const given = await give(data);
    await expect.poll(() => shownOf(given)).toContain('800 unchanged');
    // Where it is larger than Discord takes, the host is named who can make it.
    scene.sandbox.world.attachmentSizeLimit = 1000;
    const { message } = await openPanel(as(admin), general, 'export');
    expect(message?.content).toContain(`backup --guild ${scene.sandbox.guildId}`);
    expect(message?.attachments).toEqual([]);
  });

  test('the export section of /frontpage panel is for those who need the Manage Server permission, whatever Discord shows', async () => {
    const [grace = ''] = scene.sandbox.members;
    await expect(openPanel(as(grace), general, 'export')).rejects.toThrow('no command');
    scene.sandbox.world.commands.forEach(({ form }) => {
      if (form.name === 'frontpage') form.default_member_permissions = null;
    });
    const refused = await as(grace).command(general, 'frontpage panel');
    expect(refused.message?.content).toContain('need the Manage Server permission');
    expect(refused.message?.attachments).toEqual([]);
    expect((await give('x', grace)).message?.content).toContain(
      'need the Manage Server permission',
    );
  });

  test('the export section of /frontpage panel refuses a file from another server, of another bot, or from the future, in words', async () => {
    await scene.post(admin, { title: 'A story' });
    const { guildId, applicationId } = scene.sandbox;
    const { data } = await exported();
    expect(
      await refused(change(data, `"guild":"${guildId}"`, '"guild":"123456789012345678"')),
    ).toContain('from another server');
    expect(
      await refused(change(data, `"application":"${applicationId}"`, '"application":"12345"')),
    ).toContain('is another bot’s');
    expect(await refused(data.toString().replace(/"madeAt":"\d{4}/, '"madeAt":"2199'))).toContain(
      'in the future',
    );
  });

  test('the export section of /frontpage panel refuses what is broken, in the language of whoever asks, and changes nothing', async () => {
    const article = await scene.post(admin, { title: 'A story' });
    const { data } = await exported();
    await scene.redis.flush();
    await scene.redis.redis.set(complete(), Date.now());
    as(admin).speak('zh-CN');
    const cut = await give(data.subarray(0, -30));
    as(admin).speak('en-US');
    expect(cut.message?.content).toContain('文件末尾缺失');
    const changed = await give(change(data, 'A story', 'A tale'));
    expect(changed.message?.content).toContain('checksum is wrong');
    const hostile = change(data, '"kind":"article"', '"@everyone **x** <@1>":1,"kind":"article"');
    const told = (await give(resigned(hostile))).message;
    const why = translate('en', 'data.fault.line', { line: 2, part: 'Articles' });
    expect(told?.content).toBe(translate('en', 'data.refused', { why }));
    // In words, and without the field's name in the file.
    as(admin).speak('de');
    const unlinked = (await give(resigned(change(data, '"link":"http', '"link":"ftp')))).message;
    as(admin).speak('en-US');
    const part = 'Beiträge · Link';
    expect(unlinked?.content).toContain(translate('de', 'data.fault.line', { line: 2, part }));
    expect(await scene.article(article)).toBeNull();
  });

  // Withstands (Attacks): One server’s part of an attached file is damaged
  // → another server’s is restored, and its administrator is told what was not
  test.each(['before', 'behind'])(
    'the export section of /frontpage panel takes the server’s own part of a backup, with a broken one %s it',
    async (where) => {
      const article = await scene.post(admin, { title: 'A story' });
      const { data } = await exported();
      await scene.redis.flush();
      await scene.redis.redis.set(complete(), Date.now());
      const own = data.toString();
      const other = own.replaceAll(scene.sandbox.guildId, '123456789012345678');
      // Its sum is wrong.
      const given = await give(where === 'before' ? `${other}${own}` : `${own}${other}`);
      await expect.poll(() => shownOf(given)).toContain('Articles: 1 restored');
      expect(shownOf(given)).toContain('Another part of this file was left out.');
      expect(shownOf(given)).toContain('checksum is wrong');
      expect(await scene.article(article)).not.toBeNull();
    },
  );

  test('the export section of /frontpage panel says what is wrong with the server’s own part of a backup', async () => {
    await scene.post(admin, { title: 'A story' });
    const { data } = await exported();
    const other = resigned(
      data.toString().replace(`"guild":"${scene.sandbox.guildId}"`, '"guild":"123456789012345678"'),
    );
    expect(await said(`${other}${change(data, 'A story', 'A tale')}`)).toContain(
      'checksum is wrong',
    );
    expect(await said(`${other}${data.toString().slice(1)}`)).toContain('belong to no server');
    // Where its own part may be behind the end, a complete copy is what helps.
    expect(await said(other.slice(0, -20))).toContain('end of this file is missing');
    expect(await said(other)).toContain('from another server');
  });

  test('the export section of /frontpage panel is tried twenty times an hour, by all administrators together', async () => {
    const said: string[] = [];
    for (let i = 0; i < 22; i += 1) said.push((await give('')).message?.content ?? '');
    expect(said.filter((one) => one.includes('too often'))).toHaveLength(2);
  });

  test('the export section of /frontpage panel makes five files an hour for an administrator', async () => {
    const [other = ''] = scene.crowd(1);
    scene.sandbox.operator.giveRole({ member: other, permissions: ['Administrator'] });
    const { memberLimits } = scene.bot;
    for (let i = 0; i < 5; i += 1) memberLimits.count('export', scene.sandbox.guildId, other);
    const { message } = await openPanel(as(other), general, 'export');
    expect(message?.content).toContain('too often');
    expect(message?.attachments).toEqual([]);
  });

  test('the export section of /frontpage panel waits until a rebuild is done', async () => {
    const { data } = await exported();
    await scene.redis.redis.del(complete());
    expect((await give(data)).message?.content).toContain('rebuilding its lists');
  });

  test('the export section of /frontpage panel answers while Redis stands still', async () => {
    const { data } = await exported();
    scene.redis.pause();
    try {
      expect((await as(admin).command(general, 'frontpage panel')).message?.content).toBeTruthy();
      expect((await give(data)).message?.content).toBeTruthy();
    } finally {
      scene.redis.resume();
    }
  });
});

/** With a checksum as if it had been written so. */
function resigned(text: string): string {
  const lines = text.trimEnd().split('\n').slice(0, -1);
  const { counts } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '{}') as { counts: unknown };
  const body = lines.map((line) => `${line}\n`).join('');
  return `${body}${JSON.stringify({ kind: 'end', counts, sha256: createHash('sha256').update(body).digest('hex') })}\n`;
}
