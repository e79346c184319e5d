import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { memberSubject } from '../../src/community/block-subject.ts';
import { deleteBlock, memberBlock, writeBlock } from '../../src/community/blocks.ts';
import { type GuildRules, openGuildRules } from '../../src/community/guild-rules.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { createLog } from '../../src/runtime/log.ts';
import type { Store } from '../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

const GUILD = '700000000000000001';
const MEMBER = '200000000000000001';
let server: TestRedis;
let store: Store;
let rules: GuildRules;
let elapsedMs = 0;
beforeAll(async () => {
  server = await startTestRedis();
  store = {
    redis: server.redis,
    applicationId: '1100000000000000001',
    log: createLog('silent'),
  };
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.flush();
  elapsedMs = 0;
  rules = openGuildRules(store, store.log, () => elapsedMs);
  await rules.read(GUILD);
});

/** As a restore by another process does, of which this one is not told. */
async function changeElsewhere(): Promise<void> {
  const block = { posting: true, voting: true, reason: '', by: MEMBER, sinceMs: 0, untilMs: null };
  await writeBlock(store, GUILD, { subject: memberSubject(MEMBER), ...block });
  await writeSetting(store, GUILD, 'repost-days', 9);
}

// Withstands (Processes that die): Another process restores blocks and settings in a quiet time
// → they hold for the first act after it
test('blocks and settings that another process wrote hold for the first act after a quiet time', async () => {
  await changeElsewhere();
  elapsedMs += 60_001;
  expect(rules.known(GUILD)).toBeNull();
  const { blocks, settings } = await rules.read(GUILD);
  expect(memberBlock(blocks, MEMBER)).toBeDefined();
  expect(settings['repost-days']).toBe(9);
});

test('the rules of a busy server are read again before they are a minute old, and no act waits for it', async () => {
  await changeElsewhere();
  elapsedMs += 30_001;
  expect(rules.known(GUILD)?.settings['repost-days']).toBe(0);
  await expect.poll(() => rules.known(GUILD)?.settings['repost-days']).toBe(9);
  elapsedMs += 60_000;
  expect(rules.known(GUILD)?.settings['repost-days']).toBe(9);
});

test('who opted out and who is blocked is known at once, and so is the end of both', async () => {
  const subject = memberSubject(MEMBER);
  const block = { posting: true, voting: true, reason: '', by: MEMBER, sinceMs: 0, untilMs: null };
  const other = memberSubject('200000000000000002');
  const now = () => {
    const { blocks, optedOut } = rules.known(GUILD)!;
    return [blocks.size, memberBlock(blocks, MEMBER) !== undefined, optedOut.has(MEMBER)];
  };
  await writeBlock(store, GUILD, { subject: other, ...block });
  await rules.refresh(GUILD, { block: other });
  await writeBlock(store, GUILD, { subject, ...block });
  await setOptedOut(store, GUILD, MEMBER, true);
  expect(now()).toEqual([1, false, false]);
  await rules.refresh(GUILD, { block: subject });
  expect(now()).toEqual([2, true, false]);
  await rules.refresh(GUILD, { member: MEMBER });
  expect(now()).toEqual([2, true, true]);
  await deleteBlock(store, GUILD, subject);
  await setOptedOut(store, GUILD, MEMBER, false);
  await rules.refresh(GUILD, { block: subject });
  expect(now()).toEqual([1, false, true]);
  await rules.refresh(GUILD, { member: MEMBER });
  expect(now()).toEqual([1, false, false]);
});

test('whatever is read again of a server tells the settings that hold', async () => {
  const told: unknown[] = [];
  const of = openGuildRules(
    store,
    store.log,
    () => elapsedMs,
    (guild, settings) => told.push([guild, settings['repost-days']]),
  );
  await of.read(GUILD);
  await writeSetting(store, GUILD, 'repost-days', 9);
  await of.refresh(GUILD);
  await writeSetting(store, GUILD, 'repost-days', 8);
  await of.reload(GUILD);
  expect(told).toEqual([0, 9, 8].map((days) => [GUILD, days]));
});

test('a change holds, though a reading that began before it ends after it', async () => {
  let end: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let isLate = false;
  const redis = new Proxy(server.redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (!isLate || name !== 'hscanStream') return value.bind(target) as unknown;
      // The settings are read by now, and the blocks are not.
      return async function* (...given: unknown[]) {
        await ended;
        yield* Reflect.apply(value, target, given) as AsyncIterable<string[]>;
      };
    },
  });
  const of = openGuildRules({ ...store, redis }, store.log, () => elapsedMs);
  await of.read(GUILD);
  isLate = true;
  const late = of.reload(GUILD);
  await server.redis.ping();
  isLate = false;
  await writeSetting(store, GUILD, 'repost-days', 9);
  const refreshed = of.refresh(GUILD);
  // Whoever does not wait for the reading has changed the rules by now.
  for (let turn = 0; turn < 5; turn += 1) await server.redis.ping();
  end?.();
  await Promise.all([late, refreshed]);
  expect(of.known(GUILD)?.settings['repost-days']).toBe(9);
});

test('of two readings the later one holds, though the earlier ends after it', async () => {
  const ends: (() => void)[] = [];
  const redis = new Proxy(server.redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'hmget') return value.bind(target) as unknown;
      return async (...given: unknown[]) => {
        const found: unknown = await Reflect.apply(value, target, given);
        await new Promise<void>((resolve) => ends.push(resolve));
        return found;
      };
    },
  });
  const of = openGuildRules({ ...store, redis }, store.log, () => elapsedMs);
  const earlier = of.reload(GUILD);
  await expect.poll(() => ends.length).toBe(1);
  await writeSetting(store, GUILD, 'repost-days', 9);
  const later = of.reload(GUILD);
  await expect.poll(() => ends.length).toBe(2);
  ends[1]!();
  await later;
  expect(of.known(GUILD)?.settings['repost-days']).toBe(9);
  ends[0]!();
  await earlier;
  expect(of.known(GUILD)?.settings['repost-days']).toBe(9);
});
