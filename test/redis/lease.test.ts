import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { holdLease, releaseLease, takeLease, withLease } from '../../src/redis/lease.ts';
import type { Store } from '../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

const key = 'frontpage:1:lease:work';
const record = 'frontpage:1:record';
const now = 1_800_000_000_000;
const ms = 30_000;
const log = createLog('silent');
let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '1', log };
});
afterAll(() => server.stop());
beforeEach(() => server.flush());

function parts() {
  return { store, clock: { now: () => now }, log, stopping: new AbortController().signal };
}

async function taken(atMs = now) {
  const outcome = await takeLease(store, { key, ms }, atMs);
  if (outcome.status !== 'taken') throw new Error(outcome.status);
  return outcome;
}

describe('a lease', () => {
  test('a lease goes to one of fifty processes that ask at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => takeLease(store, { key, ms }, now)),
    );
    expect(outcomes.filter(({ status }) => status === 'taken')).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 'held')).toHaveLength(49);
  });

  test('a lease that is seized is taken before its end, and its holder writes nothing more', async () => {
    const first = await taken();
    const second = await takeLease(store, { key, ms, isSeized: true }, now);
    expect(second.status).toBe('taken');
    expect(await holdLease(store, first.lease, now, { page: 9 })).toEqual({ status: 'lost' });
    expect(await takeLease(store, { key, ms }, now)).toEqual({ status: 'held', untilMs: now + ms });
  });

  test('a lease is held until its end, and by whoever asks first after it', async () => {
    const first = await taken();
    // What a killed process left is swept.
    expect(await server.redis.ttl(key)).toBeGreaterThan(86_400);
    expect(await takeLease(store, { key, ms }, now + ms - 1)).toEqual({
      status: 'held',
      untilMs: now + ms,
    });
    const second = await taken(now + ms);
    expect(await holdLease(store, first.lease, now + ms, { page: 9 })).toEqual({ status: 'lost' });
    expect(await releaseLease(store, first.lease, 'done', { page: 9 }, record)).toEqual({
      status: 'lost',
    });
    expect(await server.redis.exists(record)).toBe(0);
    expect(await holdLease(store, second.lease, now + ms)).toEqual({ status: 'held' });
  });

  test('a lease is taken where it is damaged', async () => {
    await server.redis.set(key, 'not what it was');
    expect(await taken()).toMatchObject({ status: 'taken' });
    await server.redis.hset(key, { token: 'of nobody', until: 'no time' });
    expect(await taken()).toMatchObject({ status: 'taken' });
  });

  test('a lease is still its holder’s when it ran out and nobody took it', async () => {
    const { lease } = await taken();
    expect(await holdLease(store, lease, now + 10 * ms)).toEqual({ status: 'held' });
    expect(await takeLease(store, { key, ms }, now + 11 * ms - 1)).toMatchObject({
      status: 'held',
    });
  });

  test('a lease is lost, and nothing is written, after Redis was emptied', async () => {
    const { lease } = await taken();
    await server.flush();
    expect(await holdLease(store, lease, now, { page: 1 })).toEqual({ status: 'lost' });
    expect(await server.redis.exists(key)).toBe(0);
  });

  test('a lease left open tells its successor the notes; left anew it does not', async () => {
    const first = await taken();
    await holdLease(store, first.lease, now, { page: 1 });
    await holdLease(store, first.lease, now, { page: 2, plan: 'kept' });
    await releaseLease(store, first.lease, 'open');
    const second = await taken();
    expect([second.notes.get('page'), second.notes.get('plan')]).toEqual(['2', 'kept']);
    await releaseLease(store, second.lease, 'anew');
    expect((await taken()).notes.has('page')).toBe(false);
  });

  test('a lease that is done is taken by nobody, keeps nothing else, and is swept', async () => {
    const { lease } = await taken();
    await holdLease(store, lease, now, { plan: 'long' });
    await releaseLease(store, lease, 'done', { outcome: 'posted' }, record);
    expect(await takeLease(store, { key, ms }, now + 10 * ms)).toEqual({ status: 'done' });
    expect(await server.redis.hgetall(key)).toEqual({ done: '1' });
    expect(await server.redis.hgetall(record)).toEqual({ outcome: 'posted' });
    expect(await server.redis.ttl(key)).toBeGreaterThan(0);
  });
});

describe('work under a lease', () => {
  const guild = '100000000000000001';
  const work = { guild, work: 'work' };

  test('work under a lease is done by one process at a time, and by the next one after a fault', async () => {
    const failing = withLease(parts(), work, async () => {
      expect(await withLease(parts(), work, async () => 'twice')).toMatchObject({ status: 'held' });
      throw new Error('no use');
    });
    await expect(failing).rejects.toThrow('no use');
    expect(await withLease(parts(), work, async () => 'once')).toBe('once');
    expect(await server.redis.exists(storeKeys(store, guild).lease('work'))).toBe(0);
  });

  test('work under a lease hears that the bot stops, and what stopped it is no other process', async () => {
    const ending = new AbortController();
    const working = withLease({ ...parts(), stopping: ending.signal }, work, async ({ signal }) => {
      ending.abort(new Error('The bot stops.'));
      signal.throwIfAborted();
    });
    await expect(working).rejects.toThrow('The bot stops.');
    expect(await server.redis.exists(storeKeys(store, guild).lease('work'))).toBe(0);
  });

  test('work under a lease ends, and writes nothing, when Redis was emptied meanwhile', async () => {
    const outcome = await withLease(parts(), work, async ({ write }) => {
      await server.flush();
      await write(record, { page: 1 });
    });
    expect(outcome).toEqual({ status: 'held' });
    expect(await server.redis.exists(record)).toBe(0);
  });

  test('work under a lease keeps it however long it takes, and hears when it is lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let nowMs = now;
    const leaseKey = storeKeys(store, guild).lease('work');
    const outcome = await withLease(
      { ...parts(), clock: { now: () => nowMs } },
      work,
      async ({ signal }) => {
        nowMs += 25_000;
        await vi.advanceTimersByTimeAsync(10_000);
        const until = () => server.redis.hget(leaseKey, 'until');
        await vi.waitFor(async () => expect(await until()).toBe(String(nowMs + 30_000)));
        expect(signal.aborted).toBe(false);
        await server.flush();
        await vi.advanceTimersByTimeAsync(10_000);
        await vi.waitFor(() => expect(signal.aborted).toBe(true));
        signal.throwIfAborted();
      },
    );
    expect(outcome).toEqual({ status: 'held' });
    expect(vi.getTimerCount()).toBe(0);
  });
});
