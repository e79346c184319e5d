import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  endErasing,
  erasedAmong,
  erasuresBegun,
  beginErasing,
  noteErased,
  noteErasing,
  walkErasing,
} from '../../src/community/erasures.ts';
import {
  entryField,
  forgetReportsBy,
  hasReported,
  noteReport,
  readReports,
  reportsBy,
  REPORTS_KEPT_MS,
  settleReports,
  sweepReports,
} from '../../src/community/stored-reports.ts';
import { createLog } from '../../src/runtime/log.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import type { Store } from '../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

const GUILD = '700000000000000001';
const [A, B, CHANNEL] = ['800000000000000001', '800000000000000002', '900000000000000001'];
const [ANN, BOB] = ['200000000000000001', '200000000000000002'];
const AT = 1_800_000_000_000;
let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '1100000000000000001', log: createLog('silent') };
});
afterAll(() => server.stop());
beforeEach(() => server.flush());

const reports = () => storeKeys(store, GUILD).reports;
const report = (article: string, member: string, atMs = AT, reason = 'spam' as const) =>
  noteReport(store, GUILD, { article, member, reason }, atMs);
const read = (article = A, now = AT) => readReports(store, GUILD, article, now);

test('a member reports an article once, from two windows too, and others report it as well', async () => {
  expect(await Promise.all([report(A, ANN), report(A, ANN, AT + 1)])).toEqual(['noted', 'already']);
  expect(await report(B, ANN, AT + 2)).toBe('noted');
  expect(await report(A, BOB, AT + 2)).toBe('noted');
  expect((await read()).all).toEqual([
    { member: ANN, atMs: AT, reason: 'spam' },
    { member: BOB, atMs: AT + 2, reason: 'spam' },
  ]);
  expect(await hasReported(store, GUILD, B, BOB)).toBe(false);
  expect(await hasReported(store, GUILD, B, ANN)).toBe(true);
});

test('a report that cannot be read is passed over and swept, and so is where the message about it is', async () => {
  await report(A, ANN);
  const unread = { [`${A}:${BOB}`]: `${AT} because`, [`${A}:entry`]: 'somewhere' };
  await store.redis.hset(reports(), unread);
  expect(await read()).toMatchObject({ all: [{ member: ANN }], entry: null });
  await sweepReports(store, GUILD, A, AT);
  expect(await store.redis.hkeys(reports())).not.toContain(`${A}:${BOB}`);
  expect(await read()).toMatchObject({ all: [{ member: ANN }] });
});

test('a report stands for its time and no longer, and with the last one goes what is known besides', async () => {
  await report(A, ANN);
  await report(A, BOB, AT + 1000);
  await report(B, ANN, AT + 5000);
  await store.redis.hset(reports(), entryField(A, CHANNEL, B));
  expect((await read()).entry).toEqual({ channel: CHANNEL, message: B });
  const overMs = AT + REPORTS_KEPT_MS;
  const members = async (now: number) => (await read(A, now)).all.map(({ member }) => member);
  expect(await members(overMs - 1)).toEqual([ANN, BOB]);
  expect(await members(overMs)).toEqual([BOB]);
  await sweepReports(store, GUILD, A, overMs);
  expect((await store.redis.hkeys(reports())).sort()).toEqual(
    [`${A}:${BOB}`, `${A}:entry`, `${A}:open`, `${B}:${ANN}`, `${B}:open`].sort(),
  );
  await sweepReports(store, GUILD, A, overMs + 1000);
  expect((await store.redis.hkeys(reports())).sort()).toEqual([`${B}:${ANN}`, `${B}:open`].sort());
});

test('moderators decide about the reports that there are, and a later one waits for them again', async () => {
  await report(A, ANN);
  const decide = (now: number) => settleReports(store, GUILD, [A, B], now);
  expect(await decide(AT + 1)).toEqual({ settled: [A], shown: [] });
  expect(await read()).toMatchObject({ open: [], isDecided: true });
  expect(await decide(AT + 2)).toEqual({ settled: [], shown: [] });
  await report(A, BOB, AT + 3);
  expect(await read()).toMatchObject({ open: [{ member: BOB }], isDecided: false });
  await store.redis.hset(reports(), entryField(A, CHANNEL, B));
  expect(await decide(AT + 4)).toEqual({ settled: [A], shown: [A] });
  // Who reported withdraws: what was decided stays so, but not of what came since.
  const withdraw = async () => {
    for (const member of [ANN, BOB]) await forgetReportsBy(store, GUILD, member, AT + 9);
  };
  await withdraw();
  expect(await read()).toMatchObject({ all: [], isDecided: true });
  await report(A, BOB, AT + 5);
  await withdraw();
  expect(await read()).toMatchObject({ all: [], isDecided: false });
});

test('what a member reported is in their copy, and is forgotten up to when they asked for that', async () => {
  await report(A, ANN);
  await report(B, ANN, AT + 10);
  await report(A, BOB);
  expect(await reportsBy(store, GUILD, ANN)).toEqual([
    { article: A, reason: 'spam', atMs: AT },
    { article: B, reason: 'spam', atMs: AT + 10 },
  ]);
  expect(await forgetReportsBy(store, GUILD, ANN, AT + 9)).toEqual([A]);
  expect((await reportsBy(store, GUILD, ANN)).map(({ article }) => article)).toEqual([B]);
  expect(await reportsBy(store, GUILD, BOB)).toHaveLength(1);
});

test('the erasure of a member and the messages that it leaves to be deleted are told apart', async () => {
  await beginErasing(store, GUILD, ANN, AT);
  await noteErasing(store, GUILD, { id: A, channel: CHANNEL });
  const { erasing } = storeKeys(store, GUILD);
  await store.redis.hset(erasing, { [B]: 'nowhere', 'member:somebody': AT });
  const left: unknown[] = [];
  for await (const one of walkErasing(store, GUILD)) left.push(one);
  expect(left).toEqual([{ article: A, channel: CHANNEL }]);
  expect(await erasuresBegun(store, GUILD)).toEqual([{ member: ANN, atMs: AT }]);
  await endErasing(store, GUILD, { member: ANN, atMs: AT });
  expect(await erasuresBegun(store, GUILD)).toEqual([]);
});

test('an erasure leaves out what is older than it, and nothing that came later', async () => {
  await noteErased(store, GUILD, ANN, AT);
  const erased = (atMs: number) => erasedAmong(store, GUILD, [ANN, BOB], atMs);
  expect(await erased(AT - 1)).toEqual(new Set([ANN]));
  expect(await erased(AT)).toEqual(new Set());
});
