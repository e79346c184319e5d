import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { unannounced } from '../../../src/articles/announced.ts';
import { memberSubject, siteSubject } from '../../../src/community/block-subject.ts';
import {
  NO_STATE,
  readBoard,
  writeBoardChoice,
  writeBoardState,
} from '../../../src/board/stored-board.ts';
import { readBlocks, writeBlock } from '../../../src/community/blocks.ts';
import { readDigest, repairRun, saveDigest } from '../../../src/digests/stored-digests.ts';
import { plannedSlot } from '../../../src/digests/schedule/due.ts';
import { readDue } from '../../digests/due-digests.ts';
import { type Digest, zDigest, zRun } from '../../../src/digests/digest-settings.ts';
import { exportGuild } from '../../../src/backup/guild-file/export.ts';
import {
  type Kind,
  KINDS,
  type Line,
  type WrittenLine,
} from '../../../src/backup/guild-file/format.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { isImported } from '../../../src/articles/imported.ts';
import { erasedAmong, noteErased, noteErasing } from '../../../src/community/erasures.ts';
import { optedOutAmong, setOptedOut } from '../../../src/community/opted-out.ts';
import { readSettings, writeSetting } from '../../../src/community/settings.ts';
import { readWebSettings, writeWebSettings } from '../../../src/web/web-settings.ts';
import { deleteArticle, postArticle, readArticle } from '../../../src/ranking/articles/articles.ts';
import { changesChannel } from '../../../src/ranking/keys.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { readScale, setScale } from '../../../src/ranking/articles/mark.ts';
import { restoreOutcome } from '../../../src/ranking/outcomes.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { TEXTBOOK } from '../../../src/ranking/rules.ts';
import { retitleArticle } from '../../../src/ranking/articles/edit.ts';
import {
  removeArticle,
  readRemoved,
  restoreArticle,
} from '../../../src/ranking/articles/removed.ts';
import { findByLink } from '../../../src/ranking/links/reservations.ts';
import { readVoters } from '../../../src/ranking/ballots/voters.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { dump } from '../../drills/stored-data/a-guild.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';
import { articleId, CHANNELS, memberId, NOW } from './random-guild.ts';
import {
  APPLICATION,
  markWhole,
  empty,
  exported,
  GUILD,
  openDatabase,
  type Database,
  restored,
  signed,
} from './guild-files.ts';

let servers: TestRedis[];
let [from, to]: Database[] = [];
beforeAll(async () => {
  servers = await Promise.all([startTestRedis(), startTestRedis()]);
  [from, to] = servers.map(({ redis }) => openDatabase(redis));
});
afterAll(async () => {
  for (const { ranking } of [from!, to!]) await ranking.changes.flush();
  await Promise.all(servers.map((server) => server.stop()));
});
beforeEach(async () => {
  await Promise.all([empty(from!), empty(to!)]);
  await markWhole(to!);
});

async function post({ ranking }: Database, n: number, other: Record<string, unknown> = {}) {
  const link = `https://news.example/${n}`;
  const id = articleId(n);
  const article = { guild: GUILD, id, title: `Nr ${n}`, link, linkName: link, listed: true };
  await postArticle(ranking, { ...article, poster: memberId(1), home: CHANNELS[0]!, ...other });
  return id;
}
const voteUp = (base: Database, article: string, n: number) => vote(base, article, n, 'up');
const vote = ({ ranking }: Database, article: string, n: number, vote: 'up' | 'down') =>
  setVote(ranking, { guild: GUILD, article, member: memberId(n), vote }, NOW);
const read = ({ ranking }: Database, id: string) => readArticle(ranking, GUILD, id);

/** Articles posted within the last week, by when the tests need them. */
const [first = 0, second = 0, third = 0] = Array.from({ length: 50 }, (_, n) => n).filter(
  (n) => NOW - Number((BigInt(articleId(n)) >> 22n) + 1_420_070_400_000n) < 3 * DAY_MS,
);

describe('an article that is there', () => {
  test('an article that is there keeps its live votes and its title', async () => {
    for (const database of [from!, to!]) await voteUp(database, await post(database, first), 11);
    const id = articleId(first);
    await voteUp(from!, id, 12);
    await voteUp(to!, id, 13);
    await retitleArticle(to!.ranking, { guild: GUILD, article: id, title: 'Better' });
    const fates = await restored(to!, await exported(from!));
    expect(fates.article).toMatchObject({ put: 0, unchanged: 1 });
    expect(await read(to!, id)).toMatchObject({ up: 3, title: 'Better' });
    const voters = await readVoters(to!.ranking, GUILD, id);
    expect([...voters.keys()].sort((a, b) => (a < b ? -1 : 1))).toEqual([
      memberId(11),
      memberId(13),
    ]);
  });

  test('an article that is there keeps its live votes, though a restore of another file once stopped at it', async () => {
    for (const database of [from!, to!]) await post(database, first);
    const id = articleId(first);
    const text = await exported(from!);
    await to!.store.redis.sadd(storeKeys(to!.store, GUILD).restoring, id);
    await restored(to!, signed([{ kind: 'opted-out', member: memberId(9) }]));
    await voteUp(to!, id, 13);
    expect(await restored(to!, text)).toMatchObject({ article: { put: 0, unchanged: 1 } });
    expect(await read(to!, id)).toMatchObject({ up: 2 });
  });

  test('an article that is there stays removed where it was removed since', async () => {
    for (const database of [from!, to!]) await post(database, first);
    await removeArticle(to!.ranking, GUILD, articleId(first), NOW);
    await restored(to!, await exported(from!));
    expect(await read(to!, articleId(first))).toBeNull();
    expect(await readRemoved(to!.ranking, GUILD, articleId(first))).toMatchObject({ atMs: NOW });
  });
});

test('an article in whose midst a restore stopped is put back whole when that is started again', async () => {
  const id = await post(from!, first);
  for (const n of [11, 12]) await voteUp(from!, id, n);
  const text = await exported(from!);
  await post(to!, first);
  await to!.store.redis.sadd(storeKeys(to!.store, GUILD).restoring, id);
  expect(await restored(to!, text)).toMatchObject({ article: { put: 1, unchanged: 0 } });
  expect(await read(to!, id)).toMatchObject({ up: 3 });
});

test('a file is not made without what Redis could not answer for, since it is away', async () => {
  await post(from!, first);
  const away = servers[0]!.redis.duplicate();
  away.disconnect();
  await expect(exported(openDatabase(away))).rejects.toThrow('Connection is closed');
});

test('of two articles with one link, the newer has its name again', async () => {
  const [older, newer] = [articleId(first), articleId(second)].sort() as [string, string];
  const link = 'https://news.example/same';
  for (const [n, id] of [older, newer].entries()) {
    const linkName = n === 0 ? `${id} ${link}` : link;
    await post(from!, first, { id, link, linkName });
  }
  await restored(to!, await exported(from!));
  expect(await read(to!, older)).not.toBeNull();
  expect(await findByLink(to!.ranking, GUILD, link)).toBe(newer);
});

// Withstands (Attacks): A restored file holds impossible times
// → they are bounded or left out
describe('a time that is still to come', () => {
  const inAYearMs = NOW + 365 * DAY_MS;

  test('a time that is still to come in a file erases no vote that a member casts from now on', async () => {
    await restored(to!, signed([{ kind: 'erased', member: memberId(1), atMs: inAYearMs }]));
    const erased = async (atMs: number) =>
      (await erasedAmong(to!.store, GUILD, [memberId(1)], atMs)).size;
    expect(await erased(NOW - 1)).toBe(1);
    expect(await erased(NOW)).toBe(0);
  });

  test.each<[string, { run?: object; slotsFromMs?: number }]>([
    ['slot', { run: { lastSlotMs: inAYearMs, lastDate: '2020-01-01' } }],
    ['date', { run: { lastSlotMs: 1, lastDate: '9999-12-31' } }],
    ['beginning', { slotsFromMs: inAYearMs }],
  ])(
    'a time that is still to come in the %s of a digest puts off no edition',
    async (_, { run: past = {}, ...rest }) => {
      const line = { kind: 'digest', name: 'daily', digest: digest(rest), run: zRun.parse(past) };
      await restored(to!, signed([line]));
      const stored = (await readDigest(to!.store, GUILD, 'daily'))!;
      const { atMs } = plannedSlot(stored.digest, stored.run);
      expect(atMs).toBeLessThan(NOW + 2 * DAY_MS);
    },
  );
});

test('an article whose poster has it erased while it is put back stays away', async () => {
  const mine = await post(from!, first);
  const theirs = await post(from!, second, { poster: memberId(2) });
  const text = await exported(from!);
  const { store } = to!;
  // Between what the restore reads of the members and what it writes.
  const redis = new Proxy(store.redis, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'sadd') return value.bind(target) as unknown;
      return async (...args: Parameters<typeof target.sadd>) => {
        await noteErased(store, GUILD, memberId(1), NOW + 1);
        return target.sadd(...args);
      };
    },
  });
  const fates = await restored({ ...to!, store: { ...store, redis } }, text);
  expect(fates.article).toEqual({ put: 1, unchanged: 0, left: 1 });
  expect(await read(to!, mine)).toBeNull();
  expect(await read(to!, theirs)).not.toBeNull();
});

describe('what was erased since the file was made', () => {
  test('what was erased since the file was made is not brought back: neither posts nor votes', async () => {
    const own = await post(from!, first, { poster: memberId(5) });
    const other = await post(from!, second);
    const last = await post(from!, third);
    await voteUp(from!, other, 5);
    for (const id of [other, last]) await voteUp(from!, id, 6);
    await vote(from!, last, 5, 'down');
    const text = await exported(from!);
    await noteErased(to!.store, GUILD, memberId(5), NOW + 1);
    const fates = await restored(to!, text);
    expect(fates.article).toMatchObject({ put: 2, left: 1 });
    expect(await read(to!, own)).toBeNull();
    for (const id of [other, last]) expect(await read(to!, id)).toMatchObject({ up: 2, down: 0 });
  });

  test('what was erased since the file was made is named nowhere after a restore', async () => {
    await setScale(from!.ranking, GUILD, { mark: 2 });
    const own = await post(from!, first, { poster: memberId(5) });
    const other = await post(from!, second);
    for (const id of [own, other]) await voteUp(from!, id, 6);
    const text = await exported(from!);
    await noteErased(to!.store, GUILD, memberId(5), NOW + 1);
    await restored(to!, text);
    const data = JSON.stringify(await dump(to!.store.redis));
    expect(data).toContain(other);
    expect(data).not.toContain(own);
  });

  test('what was erased is not brought back however long ago it was erased', async () => {
    const own = await post(from!, first, { poster: memberId(5) });
    const text = await exported(from!);
    await noteErased(to!.store, GUILD, memberId(5), NOW + 1);
    await noteErased(to!.store, GUILD, memberId(6), NOW + 100 * DAY_MS);
    await restored(to!, text, { now: NOW + 100 * DAY_MS });
    expect(await read(to!, own)).toBeNull();
  });

  test('what was erased since the file was made is brought back where the member came again before', async () => {
    await noteErased(from!.store, GUILD, memberId(5), NOW - HOUR_MS);
    const own = await post(from!, first, { poster: memberId(5) });
    await restored(to!, await exported(from!));
    expect(await read(to!, own)).not.toBeNull();
  });

  test('what was erased since the file was made is not brought back while its message is to be deleted', async () => {
    const id = await post(from!, first);
    await noteErasing(to!.store, GUILD, { id, channel: CHANNELS[0]! });
    await restored(to!, await exported(from!));
    expect(await read(to!, id)).toBeNull();
  });

  test('a member who opted out, here or in the file, is not counted again by a restore', async () => {
    const id = await post(from!, first);
    for (const n of [7, 8]) await voteUp(from!, id, n);
    for (const n of [9, 10, 11]) await vote(from!, id, n, 'down');
    for (const n of [8, 10]) await setOptedOut(from!.store, GUILD, memberId(n), true);
    for (const n of [7, 9]) await setOptedOut(to!.store, GUILD, memberId(n), true);
    await restored(to!, await exported(from!));
    expect(await read(to!, id)).toMatchObject({ up: 1, down: 1 });
  });

  test('nobody counts again who opted out, where others erased their data since', async () => {
    const id = await post(from!, first);
    for (const n of [6, 7, 8]) await voteUp(from!, id, n);
    const text = await exported(from!);
    await noteErased(to!.store, GUILD, memberId(6), NOW + 1);
    await setOptedOut(to!.store, GUILD, memberId(7), true);
    await restored(to!, text);
    expect(await read(to!, id)).toMatchObject({ up: 2 });
  });

  test('a member who opts out while the file is restored is not counted again', async () => {
    const id = await post(from!, first);
    await voteUp(from!, id, 7);
    const check = async (line: Line) => {
      await setOptedOut(to!.store, GUILD, memberId(7), true);
      return line;
    };
    await restored(to!, await exported(from!), { check });
    expect(await read(to!, id)).toMatchObject({ up: 1 });
  });
});

test('what voting on ended since is left to a rebuild that is to come, and added after it', async () => {
  const id = await post(from!, first);
  await voteUp(from!, id, 11);
  const text = await exported(from!);
  const now = NOW + 9 * DAY_MS;
  await empty(to!);
  expect(await restored(to!, text, { now })).toMatchObject({ article: { left: 1 } });
  expect(await read(to!, id)).toBeNull();
  await markWhole(to!);
  expect(await restored(to!, text, { now })).toMatchObject({ article: { put: 1 } });
  expect(await read(to!, id)).toMatchObject({ up: 2, closed: false });
});

test('what was removed can be put back, unless its link was posted again, and is known by who removed it', async () => {
  const [old, other] = [await post(from!, first), await post(from!, second)];
  await voteUp(from!, old, 11);
  await removeArticle(from!.ranking, GUILD, old, NOW - HOUR_MS);
  await removeArticle(from!.ranking, GUILD, other, NOW - HOUR_MS, true);
  await post(to!, 49, { linkName: `https://news.example/${second}` });
  await restored(to!, await exported(from!));
  // Moderators see how many of somebody's links they removed themselves.
  expect(await readRemoved(to!.ranking, GUILD, old)).toMatchObject({ own: false });
  expect(await readRemoved(to!.ranking, GUILD, other)).toMatchObject({ own: true });
  const undone = await restoreArticle(to!.ranking, GUILD, old, true);
  expect(undone).toEqual({ status: 'restored' });
  expect(await read(to!, old)).toMatchObject({ up: 2, listed: true });
  const refused = await restoreArticle(to!.ranking, GUILD, other, true);
  expect(refused).toEqual({ status: 'duplicate', detail: articleId(49) });
});

test('an article from the future is left out, and a doubled one is put once', async () => {
  const id = await post(from!, first);
  const [head = '', line = ''] = (await exported(from!)).split('\n');
  expect(head).toContain(GUILD);
  const article = JSON.parse(line) as Record<string, unknown>;
  const early = { ...article, id: '9223372036854775807' };
  const fates = await restored(to!, signed([early, article, article]));
  expect(fates.article).toMatchObject({ left: 1 });
  expect(await read(to!, id)).toMatchObject({ up: 1 });
  expect(await read(to!, early.id)).toBeNull();
});

test('an article that closes while a file is made has its result in it, and one that is deleted is not in it', async () => {
  const { ranking } = from!;
  // More than are read at once.
  const ids = Array.from({ length: 60 }, (_, n) => snowflakeAt(NOW - n * 60_000));
  for (const [n, id] of ids.entries()) {
    await post(from!, n, { id });
    await voteUp(from!, id, 11);
  }
  // It is read last.
  const deleted = ids.pop() ?? '';
  let file = '';
  let closed = 0;
  for await (const line of exportGuild(from!, GUILD, NOW)) {
    if (closed === 0 && line.includes('"kind":"article"')) {
      for (const id of ids)
        closed += Number((await closeArticle(ranking, GUILD, id)).status === 'closed');
      await deleteArticle(ranking, GUILD, deleted);
    }
    file += line;
  }
  expect(file).not.toContain(deleted);
  await restored(to!, file);
  const found = await Promise.all(ids.map((id) => read(to!, id)));
  expect(found.map((article) => article?.up)).toEqual(ids.map(() => 2));
});

test('a restore that was ended half-way and is done again brings back no vote that was taken back meanwhile', async () => {
  const id = await post(from!, first);
  await voteUp(from!, id, 11);
  const lines = (await exported(from!)).split('\n');
  const article = lines.find((line) => line.includes('"kind":"article"'))!;
  const file = signed([article, { kind: 'imported', article: articleId(second) }]);
  const ended = new AbortController();
  const halfWay = restored(to!, file, { onLine: () => ended.abort(), signal: ended.signal });
  await expect(halfWay).rejects.toThrow('aborted');
  expect(await read(to!, id)).toMatchObject({ up: 2 });
  const vote = { guild: GUILD, article: id, member: memberId(11), vote: 'none' } as const;
  await setVote(to!.ranking, vote, NOW);
  await restored(to!, file);
  expect(await read(to!, id)).toMatchObject({ up: 1 });
});

test('of what is interesting already, no word is given', async () => {
  await setScale(from!.ranking, GUILD, { mark: 2 });
  const id = await post(from!, first);
  await voteUp(from!, id, 11);
  await restored(to!, await exported(from!));
  expect(await read(to!, id)).toMatchObject({ interesting: true });
  expect(await unannounced(to!.store, GUILD, [id])).toEqual([]);
});

test('settings are as in the file where it names them, and else stay; the mark and the span weigh every article', async () => {
  await writeSetting(from!.store, GUILD, 'repost-days', 3);
  await setScale(from!.ranking, GUILD, { mark: 10, spanDays: 3 });
  await writeSetting(to!.store, GUILD, 'repost-days', 5);
  await writeSetting(to!.store, GUILD, 'account-days', 7);
  await writeSetting(from!.store, GUILD, 'announcements', CHANNELS[0]!);
  const id = await post(to!, first);
  await voteUp(to!, id, 11);
  const fates = await restored(to!, await exported(from!));
  expect(fates.setting).toEqual({ put: 2, unchanged: 0, left: 0 });
  // The next minute notes what is interesting already, and announces the rest.
  expect(await readDue(to!.store, GUILD, NOW)).toMatchObject([{ row: 'announce' }]);
  expect(fates.mark).toEqual({ put: 1, unchanged: 0, left: 0 });
  expect(await readScale(to!.ranking, GUILD)).toMatchObject({ mark: 10, spanDays: 3 });
  const settings = await readSettings(to!.store, GUILD);
  expect(settings).toMatchObject({ 'repost-days': 3, 'account-days': 7 });
  const { articles } = await listArticles(to!.ranking, {
    guild: GUILD,
    order: 'score',
    page: 1,
    pageSize: 1,
  });
  expect(articles[0]?.score).toBe(Math.floor(articles[0]!.postedAtMs / 1000) + 3 * 8640 * 2);
  await setScale(from!.ranking, GUILD, { mark: 10, spanDays: 5 });
  expect((await restored(to!, await exported(from!))).mark).toMatchObject({ put: 1 });
  expect(await readScale(to!.ranking, GUILD)).toMatchObject({ mark: 10, spanDays: 5 });
});

test('a mark and a span that an admin fixed stay as they are where the file has no such settings', async () => {
  const { store, ranking } = to!;
  await setScale(from!.ranking, GUILD, { mark: 10, spanDays: 3 });
  await writeSetting(store, GUILD, 'mark', TEXTBOOK.mark);
  await writeSetting(store, GUILD, 'span', TEXTBOOK.spanDays);
  await setScale(ranking, GUILD, TEXTBOOK);
  const fates = await restored(to!, await exported(from!));
  expect(fates.mark).toEqual({ put: 0, unchanged: 1, left: 0 });
  expect(await readScale(ranking, GUILD)).toEqual(TEXTBOOK);
});

test('the mark of a file of before, which has no span, leaves that as it is', async () => {
  const { ranking } = to!;
  await setScale(ranking, GUILD, { mark: 5, spanDays: 3 });
  const file = signed([{ kind: 'mark', mark: 7 }]);
  expect((await restored(to!, file)).mark).toMatchObject({ put: 1 });
  expect(await readScale(ranking, GUILD)).toMatchObject({ mark: 7, spanDays: 3 });
  expect((await restored(to!, file)).mark).toMatchObject({ put: 0, unchanged: 1 });
});

test('a line of each kind is put where nothing is, and the next file has it as it was', async () => {
  const day = NOW - DAY_MS;
  const id = articleId(first);
  const shown = { id, net: 3, replies: 1, gained: null, isInteresting: true };
  const lines: { [K in Kind]: Extract<WrittenLine, { kind: K }> } = {
    setting: { kind: 'setting', name: 'repost-days', value: 3 },
    mark: { kind: 'mark', mark: 7, spanDays: 3 },
    web: { kind: 'web', open: true, feeds: false, invite: null, about: 'Us', names: true },
    board: { kind: 'board', channel: CHANNELS[0]!, savedAtMs: day, savedBy: memberId(1) },
    block: {
      kind: 'block',
      posting: true,
      voting: true,
      reason: 'Why',
      by: memberId(9),
      sinceMs: day,
      untilMs: null,
      subject: `member:${memberId(3)}`,
    },
    'opted-out': { kind: 'opted-out', member: memberId(4) },
    unnamed: { kind: 'unnamed', member: memberId(5) },
    erased: { kind: 'erased', member: memberId(6), atMs: day },
    digest: { kind: 'digest', name: 'daily', digest: digest({ slotsFromMs: NOW }), run: run(2) },
    edition: {
      kind: 'edition',
      name: 'daily',
      date: '2026-02-10',
      postedAtMs: day,
      fromMs: day - DAY_MS,
      days: null,
      channel: CHANNELS[0]!,
      message: null,
      isPublic: true,
      isLarge: false,
      day: null,
      articles: [{ ...shown, isNamed: false, isQuoted: false }],
      rising: [],
      firstPosts: [],
      discussed: [],
      week: [],
    },
    imported: { kind: 'imported', article: articleId(second) },
    article: {
      kind: 'article',
      id,
      title: 'One',
      link: 'https://news.example/one',
      poster: memberId(1),
      comment: 'Good',
      groups: [CHANNELS[0]!],
      channel: CHANNELS[0]!,
      up: 2,
      down: 1,
      interesting: false,
      locked: true,
      closed: false,
      listed: true,
      signs: '⬆️ ⬇️',
      voters: { up: [memberId(11)], down: [memberId(12)], both: [memberId(12)] },
      outcome: { best: 2, led: [], firstSinceMs: null, told: 's', isLedOn: false },
    },
  };
  const fates = await restored(to!, signed(Object.values(lines)));
  for (const kind of KINDS) expect([kind, fates[kind]]).toMatchObject([kind, { put: 1 }]);
  const [, ...written] = (await exported(to!)).trim().split('\n');
  const found = new Map(
    written.map((text) => JSON.parse(text) as WrittenLine).map((line) => [line.kind, line]),
  );
  for (const kind of KINDS) expect(found.get(kind)).toEqual(lines[kind]);
});

test('each thing that makes a web page another than the usual one is in a file by itself', async () => {
  const usual = { open: false, feeds: true, invite: null, about: null, names: false };
  const isInFile = async (one: object) => {
    await from!.store.redis.flushall();
    await writeWebSettings(from!.store, GUILD, { ...usual, ...one });
    return (await exported(from!)).includes('"kind":"web"');
  };
  expect(await isInFile({})).toBe(false);
  for (const one of [
    { open: true },
    { feeds: false },
    { invite: 'https://discord.gg/abc' },
    { about: 'Us' },
    { names: true },
  ]) {
    expect([one, await isInFile(one)]).toEqual([one, true]);
  }
});

test('each thing that became of an article is in a file by itself, and in the next one', async () => {
  const id = await post(from!, first);
  const none = { best: null, led: [], firstSinceMs: null, told: '', isLedOn: false };
  for (const one of [
    { best: 2 },
    { led: [{ name: 'daily', date: '2026-02-10' }] },
    { firstSinceMs: NOW },
    { told: 's' },
    { best: 1, firstSinceMs: NOW, isLedOn: true },
  ]) {
    await restoreOutcome(from!.ranking, GUILD, id, { ...none, ...one });
    const file = await exported(from!);
    await empty(to!);
    await restored(to!, file);
    const [, ...lines] = (await exported(to!)).trim().split('\n');
    const article = lines
      .map((text) => JSON.parse(text) as Line)
      .find((line) => line.kind === 'article');
    expect(article).toMatchObject({ outcome: { ...none, ...one } });
    await deleteArticle(from!.ranking, GUILD, id);
    await post(from!, first);
  }
});

const digest = (other: Partial<Digest> = {}): Digest =>
  zDigest.parse({
    channel: CHANNELS[0],
    schedule: { every: 'day', time: '09:00', zone: 'Europe/Berlin' },
    slotsFromMs: NOW - 30 * DAY_MS,
    ...other,
  });
const run = (daysAgo: number) =>
  zRun.parse({ lastSlotMs: NOW - daysAgo * DAY_MS, lastDate: `2026-02-2${daysAgo}` });

test('whoever keeps pages of the guild is told, also where nothing but settings came', async () => {
  await writeSetting(from!.store, GUILD, 'language', 'de');
  const heard: string[] = [];
  const subscriber = servers[1]!.redis.duplicate();
  await subscriber.subscribe(changesChannel(APPLICATION));
  subscriber.on('message', (_, message) => heard.push(message));
  await restored(to!, await exported(from!));
  await expect.poll(() => heard.length).toBeGreaterThan(0);
  subscriber.disconnect();
});

describe('a digest', () => {
  test('a digest keeps the later of two last slots, so that no edition is posted twice', async () => {
    for (const database of [from!, to!]) await saveDigest(database.store, GUILD, 'daily', digest());
    await repairRun(from!.store, GUILD, 'daily', run(5));
    await repairRun(to!.store, GUILD, 'daily', run(2));
    const text = await exported(from!);
    await restored(to!, text);
    const stored = await readDigest(to!.store, GUILD, 'daily');
    expect(stored).toMatchObject({ run: run(2), digest: { slotsFromMs: NOW - 30 * DAY_MS } });
    await repairRun(to!.store, GUILD, 'daily', run(7));
    await restored(to!, text);
    expect(await readDigest(to!.store, GUILD, 'daily')).toMatchObject({ run: run(5) });
  });

  test('a digest that was not there begins with the restore, and is looked at', async () => {
    await saveDigest(from!.store, GUILD, 'daily', digest());
    await repairRun(from!.store, GUILD, 'daily', run(5));
    const woken: unknown[] = [];
    const onPlanned = (...planned: unknown[]) => void woken.push(planned);
    const told = { ...to!, ranking: { ...to!.ranking, onPlanned } };
    await restored(told, await exported(from!), { now: NOW + DAY_MS });
    const stored = await readDigest(to!.store, GUILD, 'daily');
    expect(stored).toMatchObject({ run: run(5), digest: { slotsFromMs: NOW + DAY_MS } });
    expect(woken).toEqual([[GUILD, 0]]);
    const due = await readDue(to!.store, GUILD, NOW + 2 * DAY_MS);
    expect(due).toMatchObject([{ row: 'digest:daily' }]);
  });

  test('a digest whose schedule changes does not make up for what has passed', async () => {
    const schedule = { every: 'day', time: '18:00', zone: 'Europe/Berlin' } as const;
    await saveDigest(from!.store, GUILD, 'daily', digest({ schedule, savedAtMs: 2 }));
    await saveDigest(to!.store, GUILD, 'daily', digest({ savedAtMs: 1 }));
    await restored(to!, await exported(from!));
    const stored = await readDigest(to!.store, GUILD, 'daily');
    expect(stored?.digest).toMatchObject({ schedule, slotsFromMs: NOW });
  });

  test('a digest that was changed here since stays as it is', async () => {
    await saveDigest(from!.store, GUILD, 'daily', digest({ savedAtMs: 1 }));
    await saveDigest(to!.store, GUILD, 'daily', digest({ savedAtMs: 2, count: 7 }));
    await restored(to!, await exported(from!));
    const stored = await readDigest(to!.store, GUILD, 'daily');
    expect(stored?.digest).toMatchObject({ count: 7, savedAtMs: 2 });
  });

  test('a digest is not made where the guild has as many as it may', async () => {
    await saveDigest(from!.store, GUILD, 'one-more', digest());
    for (let n = 0; n < 20; n++) await saveDigest(to!.store, GUILD, `nr-${n}`, digest());
    const fates = await restored(to!, await exported(from!));
    expect(fates.digest).toMatchObject({ left: 1 });
    expect(await readDigest(to!.store, GUILD, 'one-more')).toBeNull();
  });
});

const block = (sinceMs: number, reason: string) => ({
  subject: memberSubject(memberId(3)),
  posting: true,
  voting: false,
  reason,
  by: memberId(9),
  sinceMs,
  untilMs: null,
});

test('blocks are united, and of two on the same subject the later stands', async () => {
  await writeBlock(from!.store, GUILD, block(1, 'earlier'));
  await writeBlock(to!.store, GUILD, block(2, 'later'));
  await writeBlock(to!.store, GUILD, {
    ...block(1, 'other'),
    subject: siteSubject('spam.example')!,
  });
  const subject = siteSubject('again.example')!;
  await writeBlock(from!.store, GUILD, { ...block(4, 'newest'), subject });
  await writeBlock(to!.store, GUILD, { ...block(3, 'newer'), subject });
  await restored(to!, await exported(from!));
  const blocks = [...(await readBlocks(to!.store, GUILD)).values()].map(({ reason }) => reason);
  expect(blocks.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['later', 'newest', 'other']);
  // One for which there is no room is said to be left out.
  const many = "for n = 1, 5000 do redis.call('HSET', KEYS[1], n, '{}') end";
  await to!.store.redis.eval(many, 1, storeKeys(to!.store, GUILD).blocks);
  await writeBlock(from!.store, GUILD, { ...block(5, 'more'), subject: siteSubject('x.example')! });
  expect((await restored(to!, await exported(from!))).block).toMatchObject({ put: 0, left: 1 });
});

const choice = (channel: string, savedAtMs: number) => ({ channel, savedAtMs, savedBy: null });

test('a restored board is looked for in its channel, and one that stays where it is is known as before', async () => {
  const [here, elsewhere] = CHANNELS as [string, string];
  const lineOf = (channel: string) => ({ kind: 'board', ...choice(channel, NOW) });
  const state = { ...NO_STATE, message: articleId(first), shown: 'x', articles: [articleId(1)] };
  const { store } = to!;
  const stateAfter = async (channel: string) => {
    await writeBoardChoice(store, GUILD, choice(here, NOW - 1000));
    await writeBoardState(store, GUILD, state);
    await restored(to!, signed([lineOf(channel)]));
    return readBoard(store, GUILD);
  };
  // A choice of before brings it back nowhere.
  await writeBoardChoice(store, GUILD, choice(elsewhere, NOW + 1));
  const fates = await restored(to!, signed([lineOf(here)]));
  expect(fates.board).toMatchObject({ put: 0, unchanged: 1 });
  expect((await readBoard(store, GUILD))?.choice).toEqual(choice(elsewhere, NOW + 1));
  const moved = { choice: { channel: elsewhere }, state: { message: null, postingMs: NOW } };
  expect(await stateAfter(here)).toEqual({ choice: choice(here, NOW), state });
  expect(await stateAfter(elsewhere)).toMatchObject(moved);
});

test('the public page is as in the file, and what was closed here since stays closed', async () => {
  const invite = 'https://discord.gg/abc';
  await writeWebSettings(from!.store, GUILD, { open: true, invite, names: true });
  const text = await exported(from!);
  await restored(to!, text);
  const asInFile = { open: true, feeds: true, invite, about: null, names: true };
  expect(await readWebSettings(to!.store, GUILD)).toEqual(asInFile);
  const closed = { open: false, feeds: false, names: false };
  for (const [setting, value] of Object.entries(closed)) {
    await writeWebSettings(to!.store, GUILD, { ...asInFile, [setting]: value });
    await restored(to!, text);
    expect(await readWebSettings(to!.store, GUILD)).toEqual({ ...asInFile, [setting]: value });
  }
});

test('a file of before, with a secret of the feeds’ addresses, is taken in', async () => {
  const web = { kind: 'web', open: true, invite: null, about: null, names: false };
  await restored(to!, signed([{ ...web, secret: 's'.repeat(43) }]));
  expect(await readWebSettings(to!.store, GUILD)).toMatchObject({ open: true, feeds: true });
});

test('a closed article keeps its ★, whatever the mark has become', async () => {
  const tally = { up: 3, down: 0, closed: true };
  const starred = await post(from!, 30, { tally: { ...tally, starred: true } });
  const plain = await post(from!, 31, { tally });
  const late = await post(from!, 32, { tally: { ...tally, up: 300, starred: false } });
  await restored(to!, await exported(from!));
  expect(await read(to!, starred)).toMatchObject({ closed: true, interesting: true });
  expect(await read(to!, plain)).toMatchObject({ closed: true, interesting: false });
  expect(await read(to!, late)).toMatchObject({ closed: true, interesting: false });
});

test('articles of another application are taken over closed, as messages that are not the bot’s', async () => {
  const [open, removed] = [await post(from!, first), await post(from!, second)];
  await setScale(from!.ranking, GUILD, { mark: 2 });
  await voteUp(from!, open, 11);
  await removeArticle(from!.ranking, GUILD, removed, NOW);
  const elsewhere = openDatabase(servers[1]!.redis, '1100000000000000002');
  await markWhole(elsewhere);
  const fates = await restored(elsewhere, await exported(from!));
  expect(fates.article).toMatchObject({ put: 1, left: 1 });
  // Only a result gives it a ★ for good.
  expect(await read(elsewhere, open)).toMatchObject({ up: 2, closed: true, interesting: false });
  expect(await isImported(elsewhere.store, GUILD, open)).toBe(true);
  expect((await readVoters(elsewhere.ranking, GUILD, open)).size).toBe(0);
  await elsewhere.ranking.changes.flush();
});

test('a restore fills the records of members and editions up to their limits, and changes those that are there', async () => {
  const { redis } = to!.store;
  const keys = storeKeys(to!.store, GUILD);
  const fill = async (key: string, command: string, words: readonly string[]) => {
    for (let n = 0; n < words.length; n += 20_000) {
      await redis.call(command, key, ...words.slice(n, n + 20_000));
    }
  };
  const ids = Array.from({ length: 100_000 }, (_, n) => `${n}`);
  await fill(keys.optedOut, 'SADD', ids);
  await fill(
    keys.erased,
    'HSET',
    ids.flatMap((id) => [id, '1']),
  );
  await fill(
    keys.editionList,
    'ZADD',
    ids.slice(0, 30_000).flatMap((id) => ['1', id]),
  );
  await redis.copy(keys.optedOut, keys.unnamed);
  const many = "for n = 1, 250000 do redis.call('SADD', KEYS[1], n) end";
  await redis.eval(many, 1, keys.imported);
  const day = { days: null, day: null, channel: CHANNELS[0]!, message: null, isPublic: true };
  const edition = { postedAtMs: NOW, fromMs: 1, ...day, isLarge: false, articles: [] };
  const none = { rising: [], firstPosts: [], discussed: [], week: [] };
  const fates = await restored(
    to!,
    signed([
      { kind: 'opted-out', member: memberId(4) },
      { kind: 'unnamed', member: memberId(4) },
      { kind: 'imported', article: articleId(1) },
      { kind: 'erased', member: memberId(6), atMs: NOW },
      // Known, and not so late.
      { kind: 'erased', member: '7', atMs: NOW },
      { kind: 'edition', name: 'daily', date: '2026-02-10', ...edition, ...none },
    ]),
  );
  expect(fates).toMatchObject({
    'opted-out': { put: 0, left: 1 },
    unnamed: { put: 0, left: 1 },
    imported: { put: 0, left: 1 },
    erased: { put: 1, left: 1 },
    edition: { put: 0, left: 1 },
  });
});

test('many members who opted out or were erased are remembered again', async () => {
  const all = Array.from({ length: 500 }, (_, n) => n);
  const lines = [
    all.map((n) => ({ kind: 'opted-out', member: memberId(n) })),
    all.map((n) => ({ kind: 'erased', member: memberId(n), atMs: 1 })),
    all.map((n) => ({ kind: 'imported', article: articleId(n) })),
  ];
  const fates = await restored(to!, signed(lines.flat()));
  for (const kind of ['opted-out', 'erased', 'imported'] as const) {
    expect(fates[kind]).toEqual({ put: 500, unchanged: 0, left: 0 });
  }
  // Also the last ones of more members than are asked for at once.
  const others = Array.from({ length: 1000 }, (_, n) => memberId(1000 + n));
  const members = all.map(memberId);
  const found = await optedOutAmong(to!.store, GUILD, [...others, ...members]);
  expect([...found]).toEqual(members);
});
