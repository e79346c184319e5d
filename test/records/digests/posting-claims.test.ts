import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Claim,
  claimPosting,
  holdClaim,
  CLAIM_MS,
  recordEdition,
  releaseClaim,
} from '../../../src/records/digests/posting-claims.ts';
import { readDigest, saveDigest } from '../../../src/records/digests/digests.ts';
import { readDue, setDue } from '../../../src/records/digests/due-queue.ts';
import { NO_RUN, zDigest } from '../../../src/records/digests/digest-settings.ts';
import type { Store } from '../../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';

const guild = '100000000000000001';
const now = Date.UTC(2026, 10, 21, 9);

let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '1', log: pino({ level: 'silent' }) };
});
afterAll(() => server.stop());
beforeEach(() => server.flush());

const claimOf = (token: string): Claim => ({
  guild,
  digest: 'daily',
  date: '2026-11-21',
  token,
});
const [mine, theirs] = [claimOf('mine'), claimOf('theirs')];
const fresh = { status: 'claimed', tried: false, draft: null };

describe('a claim', () => {
  test('is given to one of fifty callers at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, at) => claimPosting(store, claimOf(`token-${at}`), now)),
    );
    expect(outcomes.filter(({ status }) => status === 'claimed')).toEqual([fresh]);
    expect(outcomes.filter(({ status }) => status === 'held')).toHaveLength(49);
  });

  test('is held until its lease ends by the clock of the caller, and taken over then', async () => {
    await claimPosting(store, mine, now);
    const last = now + CLAIM_MS - 1;
    expect(await claimPosting(store, theirs, last)).toEqual({
      status: 'held',
      untilMs: now + CLAIM_MS,
    });
    expect(await claimPosting(store, theirs, now + CLAIM_MS)).toEqual(fresh);
    expect(await holdClaim(store, mine, now + CLAIM_MS)).toEqual({ status: 'lost' });
    expect(await releaseClaim(store, mine)).toEqual({ status: 'lost' });
    expect(await recordEdition(store, mine, NO_RUN, 'done')).toEqual({ status: 'lost' });
  });

  test('is prolonged by its holder, who may ask twice', async () => {
    await claimPosting(store, mine, now);
    expect(await claimPosting(store, mine, now + 10)).toMatchObject({ status: 'claimed' });
    expect(await holdClaim(store, mine, now + 80_000)).toEqual({ status: 'held' });
    expect(await claimPosting(store, theirs, now + CLAIM_MS)).toMatchObject({ status: 'held' });
  });

  test('hands the draft and that it was tried to its successor', async () => {
    await claimPosting(store, mine, now);
    await holdClaim(store, mine, now, { draft: 'drafted' });
    await holdClaim(store, mine, now, { tried: 1 });
    expect(await claimPosting(store, theirs, now + CLAIM_MS)).toEqual({
      status: 'claimed',
      tried: true,
      draft: 'drafted',
    });
  });

  test('that is released is free at once', async () => {
    await claimPosting(store, mine, now);
    expect(await releaseClaim(store, mine)).toEqual({ status: 'released' });
    expect(await claimPosting(store, theirs, now)).toMatchObject({ status: 'claimed' });
  });

  test('of another date is another claim', async () => {
    await claimPosting(store, mine, now);
    expect(await claimPosting(store, { ...theirs, date: '2026-11-22' }, now)).toEqual(fresh);
  });

  test('that is done stays done, and the run is what the holder recorded', async () => {
    const digest = zDigest.parse({
      channel: '1',
      schedule: { every: 'day', time: '09:00', zone: 'UTC' },
    });
    await saveDigest(store, guild, 'daily', digest);
    await claimPosting(store, mine, now);
    const run = { ...NO_RUN, lastSlotMs: now, lastDate: '2026-11-21', netVotes: { '12': 3 } };
    expect(await recordEdition(store, mine, run, 'done')).toEqual({ status: 'released' });
    expect(await readDigest(store, guild, 'daily')).toEqual({ name: 'daily', digest, run });
    expect(await claimPosting(store, theirs, now + 10 * CLAIM_MS)).toEqual({ status: 'done' });
    expect(await recordEdition(store, mine, NO_RUN, 'done')).toEqual({ status: 'lost' });
  });

  test('recorded as open can be claimed again', async () => {
    await claimPosting(store, mine, now);
    expect(await recordEdition(store, mine, NO_RUN, 'open')).toEqual({ status: 'released' });
    expect(await claimPosting(store, theirs, now)).toMatchObject({ status: 'claimed' });
  });
});

describe('what is due', () => {
  test('is read in one go, the longest due first', async () => {
    await setDue(store, '7', 'daily', now);
    await setDue(store, '8', 'a:b', now - 5);
    await setDue(store, '9', 'daily', now + 1);
    expect(await readDue(store, now)).toEqual([
      { guild: '8', digest: 'a:b', atMs: now - 5 },
      { guild: '7', digest: 'daily', atMs: now },
    ]);
  });

  test('moves and goes', async () => {
    await setDue(store, '7', 'daily', now);
    await setDue(store, '7', 'daily', now + 60_000);
    expect(await readDue(store, now)).toEqual([]);
    await setDue(store, '7', 'daily', null);
    expect(await readDue(store, now + 60_000)).toEqual([]);
  });
});
