import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Due, type DueNeeds, openDue } from '../../src/due/due.ts';
import { type Held, type Kind, type Planned, restOf } from '../../src/due/kind.ts';
import { readTroubles, type Trouble } from '../../src/due/troubles.ts';
import { createLog } from '../../src/runtime/log.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

const log = createLog('silent');
let server: TestRedis;
let now = 1_800_000_000_000;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(() => server.flush());

const key = (name: string) => `frontpage:1:{7}:${name}`;
function process(kinds: readonly Kind[], needs: Partial<DueNeeds> = {}): Due {
  const due = openDue({
    store: { redis: server.redis, applicationId: '1', log },
    clock: { now: () => now },
    log,
    stopping: new AbortController().signal,
    guilds: () => ['7'],
    follows: false,
    ...needs,
  });
  for (const kind of kinds) due.handle(kind);
  return due;
}
/** Of a name that no feature has. */
const kind = (run: Kind['run'], name = 'job', sideBySide = 8): Kind => ({
  name: name as Kind['name'],
  sideBySide,
  run,
});
const done = { atMs: null };

test('a row is done once, and is gone', async () => {
  const ran: string[] = [];
  const due = process([kind(async ({ id }) => (ran.push(id), done))]);
  await due.plan('7', 'job:a', now);
  await due.plan('7', 'job:b', now + 1000);
  await due.look();
  expect(ran).toEqual(['a']);
  now += 1000;
  await due.look();
  await due.look();
  expect(ran).toEqual(['a', 'b']);
  expect(await server.redis.keys('*')).toEqual([]);
});

// Before those whose processes die, which renew their leases until the last test has ended.
test('a guild in which nothing is due costs nothing', async () => {
  const guilds = Array.from({ length: 2500 }, (_, n) => String(n + 1));
  const due = process([kind(async () => done)], { guilds: () => guilds });
  await Promise.all(guilds.map((guild) => due.plan(guild, 'job:night', now + 3_600_000)));
  await due.look();
  await server.redis.config('RESETSTAT');
  for (let n = 0; n < 60; n += 1) await due.look();
  const stats = await server.redis.info('commandstats');
  expect(stats).not.toMatch(/zrange|evalsha/);
});

test('of many processes that look at once, one does a row', async () => {
  let ran = 0;
  const all = Array.from({ length: 20 }, () => process([kind(async () => (ran++, done))]));
  await server.redis.zadd(key('due'), now, 'job:a');
  await Promise.all(all.map((one) => one.look()));
  expect(ran).toBe(1);
});

test('a row that is planned while it is done is done again, in whichever process', async () => {
  let ran = 0;
  let other: Due;
  let ranMeanwhile = 0;
  const run = async () => {
    ran += 1;
    if (ran === 1) {
      await other.plan('7', 'job:a', now);
      await other.look();
      ranMeanwhile = ran;
    }
    return done;
  };
  const due = process([kind(run)]);
  other = process([kind(run)]);
  await due.plan('7', 'job:a', now);
  await due.look();
  now += 30_000;
  await due.look();
  await other.look();
  expect([ranMeanwhile, ran]).toEqual([1, 2]);
  expect(await server.redis.zcard(key('due'))).toBe(0);
});

test('a row that is taken out while it is done stays out, also where its work goes on', async () => {
  const due: Due = process([
    kind(async ({ write }) => {
      await due.planAt('7', 'job:a', null);
      await write({ half: 1 });
      return { atMs: now + 1000 };
    }),
  ]);
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(await server.redis.zcard(key('due'))).toBe(0);
});

test('a row whose work goes on is taken by no other process, however long that is', async () => {
  let ranElsewhere = 0;
  const other = process([kind(async () => (ranElsewhere++, done))]);
  const due = process([
    kind(async ({ write }) => {
      for (let n = 0; n < 3; n += 1) {
        now += 20_000;
        await write({});
        await other.look();
      }
      return done;
    }),
  ]);
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(ranElsewhere).toBe(0);
});

test('of a row that is taken out while it fails no trouble stays', async () => {
  const due: Due = process([
    kind(async () => {
      await due.planAt('7', 'job:a', null);
      throw new Error('No.');
    }),
  ]);
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(await server.redis.exists(key('troubles'))).toBe(0);
});

test('of a row that is taken out after it failed no trouble stays', async () => {
  const due = process([kind(() => Promise.reject(new Error('refused')))]);
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(await server.redis.exists(key('troubles'))).toBe(1);
  await due.planAt('7', 'job:a', null);
  expect(await server.redis.exists(key('due'), key('troubles'))).toBe(0);
});

test('what is planned for later while a row is done stays planned, also where its holder dies', async () => {
  const due: Due = process([
    kind(async ({ id }) => {
      // Beyond the end of the lease.
      await due.plan('7', `job:${id}`, now + 600_000);
      return id === 'sooner' ? { atMs: now + 5000 } : done;
    }),
  ]);
  for (const id of ['a', 'sooner']) await due.plan('7', `job:${id}`, now);
  await due.look();
  const rows = await server.redis.zrange(key('due'), '0', '-1', 'WITHSCORES');
  expect(rows).toEqual(['job:sooner', String(now + 5000), 'job:a', String(now + 600_000)]);

  let ran = 0;
  const dead = process([kind(() => new Promise(() => {}), 'dying')]);
  const next = process([kind(async () => (ran++, done), 'dying')]);
  await dead.plan('7', 'dying:a', now);
  void dead.look();
  await expect.poll(() => server.redis.exists(key('lease:dying:a'))).toBe(1);
  await next.plan('7', 'dying:a', now + 600_000);
  const looksAfter = [30_001, 600_000 - 30_001];
  for (const [n, passed] of looksAfter.entries()) {
    now += passed;
    await next.look();
    expect(ran).toBe(n + 1);
  }
});

test('a row that gets a new time while it is done has that time', async () => {
  const due: Due = process([
    kind(async () => {
      await due.planAt('7', 'job:a', now + 600_000);
      return { atMs: now + 1000 };
    }),
  ]);
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(await server.redis.zscore(key('due'), 'job:a')).toBe(String(now + 600_000));
});

test('in one process, it is done again at once', async () => {
  let ran = 0;
  const due: Due = process([
    kind(async () => {
      ran += 1;
      if (ran === 1) await due.plan('7', 'job:a', now);
      return { atMs: now + 999_999 };
    }),
  ]);
  await due.plan('7', 'job:a', now);
  await due.look();
  await due.look();
  expect(ran).toBe(2);
  expect(Number(await server.redis.zscore(key('due'), 'job:a'))).toBe(now + 999_999);
});

test('a row whose process died is done by the next when its lease has ended', async () => {
  let ran = 0;
  const dead = process([kind(() => new Promise(() => {}))]);
  const due = process([kind(async () => (ran++, done))]);
  await dead.plan('7', 'job:a', now);
  void dead.look();
  await expect.poll(() => server.redis.exists(key('lease:job:a'))).toBe(1);
  await due.look();
  now += 29_000;
  await due.look();
  expect(ran).toBe(0);
  now += 1001;
  await due.look();
  expect(ran).toBe(1);
});

test('whoever lost a row writes nothing', async () => {
  const errors: unknown[] = [];
  const signals: AbortSignal[] = [];
  const going = new AbortController();
  const late = process([
    kind(async (held) => {
      await once(going.signal, 'abort');
      await held.write({ a: 1 }, key('record')).catch((error: unknown) => errors.push(error));
      signals.push(held.signal);
      return { atMs: null, outcome: { b: '2' }, record: key('record') };
    }),
  ]);
  const due = process([kind(async () => ({ atMs: now + 5000 }))]);
  await late.plan('7', 'job:a', now);
  const looked = late.look();
  await expect.poll(() => server.redis.exists(key('lease:job:a'))).toBe(1);
  now += 30_001;
  await due.look();
  going.abort();
  await looked;
  expect(errors).toHaveLength(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await server.redis.exists(key('record'))).toBe(0);
  expect(Number(await server.redis.zscore(key('due'), 'job:a'))).toBe(now + 5000);
});

test('somebody who waits for a row that another process took meanwhile hears that it comes later', async () => {
  const other = process([kind(async () => ({ atMs: now + 5000 }))]);
  const late = process([
    kind(async () => {
      now += 30_001;
      await other.look();
      return done;
    }),
  ]);
  expect(await late.now('7', 'job:a')).toBe('later');
  expect(await server.redis.zscore(key('due'), 'job:a')).toBe(String(now + 5000));
});

const timers = () =>
  globalThis.process.getActiveResourcesInfo().filter((of) => of === 'Timeout').length;

test('what is done leaves no timer behind', async () => {
  const due = process([kind(async () => done)]);
  const before = timers();
  for (let n = 0; n < 20; n += 1) await due.plan('7', `job:${n}`, now);
  await due.look();
  expect(timers() - before).toBeLessThan(10);
});

test('a poisonous row rests longer each time, stops no other, and says why', async () => {
  const ran: string[] = [];
  const due = process([
    kind(
      async ({ id }) => {
        ran.push(id);
        if (id.startsWith('bad')) throw new Error('No.');
        return done;
      },
      'job',
      1,
    ),
  ]);
  for (let n = 0; n < 60; n += 1) await due.plan('7', `job:bad${n}`, now - 1000);
  await due.plan('7', 'job:good', now);
  for (let n = 0; n < 5; n += 1) await due.look();
  expect(ran).toContain('good');
  expect(ran.filter((id) => id === 'bad0')).toHaveLength(1);
  const trouble = JSON.parse((await server.redis.hget(key('troubles'), 'job:bad0')) ?? '');
  expect(trouble).toEqual({ why: 'fault', detail: 'No.', attempts: 1, sinceMs: now, told: false });
  now += 2000;
  for (let n = 0; n < 5; n += 1) await due.look();
  expect(ran.filter((id) => id === 'bad0')).toHaveLength(2);
});

test('of an error the first line is kept, and of that as much as is read again', async () => {
  const error = new Error(`${'No. '.repeat(200)}\nSecond line.`);
  const due = process([kind(() => Promise.reject(error))]);
  const another = process([kind(() => Promise.reject(new Error('First.\nSecond.')), 'another')]);
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(await troubleOf('job:a')).toMatchObject({ detail: 'No. '.repeat(75), attempts: 1 });
  await another.plan('7', 'another:a', now);
  await another.look();
  expect(await troubleOf('another:a')).toMatchObject({ detail: 'First.' });
  const stored = await readTroubles({ redis: server.redis, applicationId: '1' }, '7');
  expect(stored).toHaveLength(2);
});

test('a row whose work Redis was away for counts no failure', async () => {
  const due = process([kind(() => Promise.reject(new Error('Command timed out')))]);
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(await troubleOf('job:a')).toBeNull();
  expect(await server.redis.zscore(key('due'), 'job:a')).toBe(String(now + 15_000));
});

test('of many rows those are done too that another process moved over the edge of a page', async () => {
  const redis = server.redis.duplicate();
  onTestFinished(() => redis.disconnect());
  const ran = new Set<string>();
  const needs = { store: { redis, applicationId: '1', log } };
  const due = process([kind(async ({ id }) => (ran.add(id), done), 'job', 100)], needs);
  const rows = Array.from({ length: 250 }, (_, n) => `job:${String(n).padStart(3, '0')}`);
  await redis.zadd(key('due'), ...rows.flatMap((row) => [now, row]));
  const connection = redis as unknown as Record<'zrange', (...of: string[]) => Promise<string[]>>;
  const read = connection.zrange.bind(redis);
  let pages = 0;
  connection.zrange = async (...of) => {
    pages += 1;
    if (pages === 2) await redis.zrem(key('due'), ...rows.slice(0, 100));
    return read(...of);
  };
  await due.look();
  await due.look();
  expect([...ran].sort()).toEqual(rows.slice(100).map((row) => row.slice(4)));
});

test('whoever begins what is due does not wait for its end', async () => {
  const ending = new AbortController();
  let began = 0;
  const run = async () => {
    began += 1;
    if (!ending.signal.aborted) await once(ending.signal, 'abort');
    return done;
  };
  const due = process([kind(run)]);
  await due.plan('7', 'job:a', now);
  await due.begin();
  await expect.poll(() => began).toBe(1);
  ending.abort();
  await due.look();
  expect(await server.redis.keys('*')).toEqual([]);
});

test('a row of an unknown kind stays, and stops no other', async () => {
  let ran = 0;
  const due = process([kind(async () => (ran++, done))]);
  for (let n = 0; n < 60; n += 1) await due.plan('7', `later:${n}`, now - 1000);
  await due.plan('7', 'job:a', now);
  for (let n = 0; n < 5; n += 1) await due.look();
  expect(ran).toBe(1);
  expect(await server.redis.zcard(key('due'))).toBe(60);
});

test('in an outage no row counts a failure, and all are done within 15 s of its end', async () => {
  let isOut = true;
  let ran = 0;
  const run = async () => {
    if (isOut) throw new DOMException('No answer.', 'TimeoutError');
    ran += 1;
    return done;
  };
  const needs = { isUnanswered: () => true, answers: () => 5 };
  const due = process([kind(run)], needs);
  for (let n = 0; n < 10; n += 1) await due.plan('7', `job:${n}`, now);
  for (let n = 0; n < 20; n += 1) {
    await due.look();
    now += 15_000;
  }
  expect(await server.redis.exists(key('troubles'))).toBe(0);
  isOut = false;
  await due.look();
  expect(ran).toBe(10);
});

const unanswered = async () => {
  throw new DOMException('No answer.', 'TimeoutError');
};

test('what alone is not answered while Discord answers else is a failure of its own', async () => {
  let answers = 0;
  const due = process([kind(unanswered)], {
    isUnanswered: () => true,
    answers: () => (answers += 1),
  });
  await due.plan('7', 'job:a', now);
  for (let n = 0; n < 3; n += 1) {
    await due.look();
    now += 20_000;
  }
  const trouble = JSON.parse((await server.redis.hget(key('troubles'), 'job:a')) ?? '{}');
  expect(trouble).toMatchObject({ detail: 'No answer.', attempts: 2 });
});

test('a row that was done since Discord last left it without an answer begins anew to be part of an outage', async () => {
  let answers = 0;
  let isOut = true;
  const run = async () => (isOut ? unanswered() : { atMs: now + 20_000 });
  const due = process([kind(run)], { isUnanswered: () => true, answers: () => answers });
  await due.plan('7', 'job:a', now);
  await due.look();
  [isOut, now] = [false, now + 20_000];
  await due.look();
  [isOut, now, answers] = [true, now + 20_000, 9];
  await due.look();
  expect(await troubleOf('job:a')).toBeNull();
  now += 20_000;
  answers += 1;
  await due.look();
  expect(await troubleOf('job:a')).toMatchObject({ attempts: 1 });
});

test('what hinders a row and is no fault is kept until the row is done', async () => {
  let isAllowed = false;
  const run = async () =>
    isAllowed ? done : { atMs: now + 60_000, trouble: { why: 'permissions', detail: 'Send' } };
  const due = process([kind(run)]);
  expect(await due.now('7', 'job:a')).toMatchObject({
    why: 'permissions',
    attempts: 0,
    sinceMs: now,
  });
  const sinceMs = now;
  now += 60_000;
  await due.look();
  expect(await due.now('7', 'job:a')).toMatchObject({ sinceMs });
  isAllowed = true;
  expect(await due.now('7', 'job:a')).toBeNull();
  expect(await server.redis.keys('*')).toEqual([]);
});

test('a row that is done for somebody who waits gets their notes, and what another process does stays due', async () => {
  const ending = new AbortController();
  const noted: (string | undefined)[] = [];
  let ranElsewhere = 0;
  const busy = process([
    kind(async () => {
      ranElsewhere += 1;
      if (!ending.signal.aborted) await once(ending.signal, 'abort');
      return done;
    }),
  ]);
  const due = process([kind(async ({ notes }) => (noted.push(notes.get('reason')), done))]);
  await busy.plan('7', 'job:a', now);
  const looked = busy.look();
  await expect.poll(() => server.redis.exists(key('lease:job:a'))).toBe(1);
  expect(await due.now('7', 'job:a')).toBe('later');
  ending.abort();
  await looked;
  expect(ranElsewhere).toBe(2);
  expect(await due.now('7', 'job:b', { reason: 'Spam' })).toBeNull();
  // Whoever does it the next time does not get them again.
  expect(await due.now('7', 'job:b')).toBeNull();
  expect(noted).toEqual(['Spam', undefined]);
});

test('the notes of somebody who waits reach the row also where it began without them', async () => {
  const ending = new AbortController();
  const noted: (string | undefined)[] = [];
  const due = process([
    kind(async ({ notes }) => {
      noted.push(notes.get('reason'));
      if (noted.length === 1) await once(ending.signal, 'abort');
      return done;
    }),
  ]);
  await due.plan('7', 'job:a', now);
  const looked = due.look();
  await expect.poll(() => noted.length).toBe(1);
  const answer = due.now('7', 'job:a', { reason: 'Spam' });
  await expect.poll(() => server.redis.zscore(key('due'), 'job:a')).toBe('0');
  ending.abort();
  expect(await answer).toBeNull();
  await looked;
  expect(noted).toEqual([undefined, 'Spam']);
  expect(await server.redis.keys('*')).toEqual([]);
});

test('somebody who waits for a row behind many others hears that it comes later, and it gets their notes', async () => {
  const ending = new AbortController();
  const noted: (string | undefined)[] = [];
  const due = process([
    kind(async ({ id, notes }) => {
      if (id === 'a') await once(ending.signal, 'abort');
      else noted.push(notes.get('reason'));
      return done;
    }),
  ]);
  for (const row of ['job:a', 'job:b']) await due.plan('7', row, now);
  const looked = due.look();
  await expect.poll(() => server.redis.exists(key('lease:job:a'))).toBe(1);
  expect(await due.now('7', 'job:b', { reason: 'Spam' })).toBe('later');
  ending.abort();
  await looked;
  expect(noted).toContain('Spam');
});

test('somebody who waits for a row does not wait for others of the server that run', async () => {
  const ending = new AbortController();
  const due = process([
    kind(
      async ({ id }) => {
        if (id === 'a') await once(ending.signal, 'abort');
        return done;
      },
      'job',
      1,
    ),
  ]);
  await due.plan('7', 'job:a', now);
  const looked = due.look();
  await expect.poll(() => server.redis.exists(key('lease:job:a'))).toBe(1);
  expect(await due.now('7', 'job:b')).toBeNull();
  ending.abort();
  await looked;
});

test('while the time is not confirmed, nothing begins but what a wrong time does no harm', async () => {
  let isSure = false;
  const began: string[] = [];
  const clock = { now: () => now, isConfirmed: () => isSure };
  const run: Kind['run'] = async ({ row }) => (began.push(row), done);
  const due = process([kind(run), { ...kind(run, 'any'), ignoresTime: true }], { clock });
  await due.plan('7', 'job:a', now);
  await due.plan('7', 'any:a', now);
  await due.look();
  expect(began).toEqual(['any:a']);
  isSure = true;
  now += 15_000;
  await due.look();
  expect(began).toEqual(['any:a', 'job:a']);
});

test('many rows that cannot begin yet are not looked at without a pause', async () => {
  const clock = { now: () => now, isConfirmed: () => false };
  const due = process([kind(async () => done)], { clock });
  for (let n = 0; n < 150; n += 1) await due.plan('7', `job:${n}`, now);
  await due.look();
  await server.redis.config('RESETSTAT');
  for (let n = 0; n < 20; n += 1) await due.look();
  expect(await server.redis.info('commandstats')).not.toMatch(/zrange/);
});

test('a kind whose data cannot be read at an arrival is asked again, and hinders no other', async () => {
  let isBroken = true;
  const planned: string[] = [];
  const standing = (name: string, isBad: boolean): Kind => ({
    ...kind(async ({ row }) => (planned.push(row), done), name),
    async standing() {
      if (isBad && isBroken) throw new Error('No.');
      return [{ row: `${name}:x`, atMs: now }];
    },
  });
  const due = process([standing('bad', true), standing('good', false)]);
  await due.arrive('7');
  await due.look();
  expect(planned).toEqual(['good:x']);
  isBroken = false;
  now += 15_000;
  await due.look();
  expect(planned).toEqual(['good:x', 'bad:x']);
});

test('what is planned after the clock was moved forward does not wait for what was planned before', async () => {
  const ran: string[] = [];
  const stop = new AbortController();
  const due = process([kind(async ({ id }) => (ran.push(id), done))], {
    follows: true,
    stopping: stop.signal,
  });
  await due.plan('7', 'job:first', 0);
  await expect.poll(() => ran).toEqual(['first']);
  await due.look();
  await due.plan('7', 'job:later', now + 300_000);
  now += 400_000;
  await due.plan('7', 'job:now', now);
  // Without that it would be the minute's look.
  await expect.poll(() => ran, { timeout: 30_000 }).toContain('now');
  stop.abort();
  await due.stop();
});

test('a row whose time comes while its process looks at the time is done', async () => {
  for (const inMs of [20, 21, 22, 23]) {
    const ran: string[] = [];
    const stop = new AbortController();
    const due = process([kind(async ({ id }) => (ran.push(id), done))], {
      follows: true,
      stopping: stop.signal,
      // A millisecond passes between any two looks at it.
      clock: { now: () => (now += 1) },
    });
    await due.plan('7', 'job:soon', now + inMs);
    // Without that nothing would wake the process again.
    await expect.poll(() => ran, { timeout: 10_000, message: `in ${inMs} ms` }).toEqual(['soon']);
    stop.abort();
    await due.stop();
  }
});

test('a process that follows does at once what is planned, and what another one planned', async () => {
  const ran: string[] = [];
  const told: [string, number][] = [];
  const follower = process([kind(async ({ id }) => (ran.push(id), done))], { follows: true });
  const host = process([], { tell: (...what) => told.push(what) });
  await follower.plan('7', 'job:a', 0);
  await expect.poll(() => ran).toEqual(['a']);
  await host.plan('7', 'job:b', 0);
  for (const what of told) follower.wake(...what);
  await expect.poll(() => ran).toEqual(['a', 'b']);
});

/** What a row's trouble is, as it is stored. */
const troubleOf = async (row: string) =>
  JSON.parse((await server.redis.hget(key('troubles'), row)) ?? 'null') as Trouble | null;

test('a row that fails again and again rests twice as long each time, and an hour at most', async () => {
  const due = process([kind(() => Promise.reject(new Error('No.')))]);
  await due.plan('7', 'job:a', now);
  const rests: number[] = [];
  const sinceMs = now;
  for (let n = 0; n < 14; n += 1) {
    await due.look();
    const restMs = Number(await server.redis.zscore(key('due'), 'job:a')) - now;
    rests.push(restMs / 1000);
    now += restMs;
  }
  expect(rests.slice(0, 4)).toEqual([2, 4, 8, 16]);
  expect(rests.slice(-2)).toEqual([3600, 3600]);
  expect(await troubleOf('job:a')).toMatchObject({ attempts: 14, sinceMs });
});

/** As whoever tells them notes it. */
async function tellAdmins(): Promise<void> {
  const trouble = (await troubleOf('job:a'))!;
  await server.redis.hset(key('troubles'), 'job:a', JSON.stringify({ ...trouble, told: true }));
}

test('what hinders a row is told once, and anew where something else hinders it', async () => {
  let next: { why: string } | Error = { why: 'permissions' };
  const due = process([
    kind(async () => {
      if (next instanceof Error) throw next;
      return { atMs: now + 1000, trouble: { ...next, detail: '' } };
    }),
  ]);
  const look = async (next: number) => {
    now += next;
    await due.look();
    return troubleOf('job:a');
  };
  await due.plan('7', 'job:a', now);
  const sinceMs = now;
  expect(await look(0)).toMatchObject({ told: false, sinceMs });
  await tellAdmins();
  expect(await look(1000)).toMatchObject({ told: true, sinceMs });
  next = { why: 'gone' };
  expect(await look(1000)).toMatchObject({ told: false, sinceMs: sinceMs + 2000 });
  await tellAdmins();
  next = new Error('No.');
  expect(await look(1000)).toMatchObject({ why: 'fault', told: true, attempts: 1 });
  next = { why: 'gone' };
  expect(await look(2000)).toMatchObject({ why: 'gone', attempts: 0 });
});

test('where a key of a server’s rows is of another type, that is told, and its rows are planned anew', async () => {
  const ran: string[] = [];
  const damaged: string[] = [];
  const job = kind(async ({ id }) => (ran.push(id), done));
  const due = process([{ ...job, standing: async () => [{ row: 'job:x', atMs: 0 }] }], {
    onDamage: (guild) => void damaged.push(guild),
  });
  await server.redis.set(key('due'), 'not a sorted set');
  await due.look();
  expect(damaged).toEqual(['7']);
  await server.redis.del(key('due'));
  now += 15_000;
  await due.look();
  expect(ran).toEqual(['x']);
});

test('a server that arrives while it is not reachable is looked at when it is', async () => {
  const ran: string[] = [];
  let guilds = ['7'];
  const rows: Planned[] = [];
  const job = kind(async ({ id }) => (ran.push(id), done));
  const due = process([{ ...job, standing: async () => rows }], { guilds: () => guilds });
  // Nothing is due there.
  await due.arrive('7');
  await due.look();
  guilds = [];
  rows.push({ row: 'job:x', atMs: now });
  await due.arrive('7');
  await due.look();
  expect(ran).toEqual([]);
  guilds = ['7'];
  await due.look();
  expect(ran).toEqual(['x']);
});

test('a server that has nothing due by its own data does what was planned, and another’s process does it not', async () => {
  const ran: string[] = [];
  const due = process([kind(async ({ guild, id }) => (ran.push(`${guild} ${id}`), done))]);
  const others = process([kind(async () => (ran.push('elsewhere'), done))], {
    guilds: () => ['8'],
  });
  await server.redis.zadd(key('due'), now, 'job:a');
  await others.look();
  await due.arrive('7');
  await due.look();
  expect(ran).toEqual(['7 a']);
});

test('a lease of another type holds no row up, and none outlives a process that was killed by long', async () => {
  const seconds: number[] = [];
  const due = process([
    kind(async () => {
      seconds.push(await server.redis.ttl(key('lease:job:a')));
      return done;
    }),
  ]);
  await server.redis.set(key('lease:job:a'), 'not a hash');
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(seconds).toHaveLength(1);
  expect(seconds[0]).toBeGreaterThan(86_400);
});

test('a server that arrives puts off nothing that was planned sooner', async () => {
  const job = kind(async () => done);
  const due = process([{ ...job, standing: async () => [{ row: 'job:x', atMs: now + 9000 }] }]);
  await due.plan('7', 'job:x', now + 5000);
  await due.arrive('7');
  expect(await server.redis.zscore(key('due'), 'job:x')).toBe(String(now + 5000));
});

test('a row that is planned again is done at the sooner time, unless it gets a new time', async () => {
  const due = process([kind(async () => done)]);
  const atMs = async () => Number(await server.redis.zscore(key('due'), 'job:a')) - now;
  await due.plan('7', 'job:a', now + 5000);
  await due.plan('7', 'job:a', now + 9000);
  expect(await atMs()).toBe(5000);
  await due.plan('7', 'job:a', now + 1000);
  expect(await atMs()).toBe(1000);
  await due.planAt('7', 'job:a', now + 9000);
  expect(await atMs()).toBe(9000);
});

test('what is planned for later holds up nothing that is due sooner', async () => {
  const ran: string[] = [];
  const due = process([kind(async ({ id }) => (ran.push(id), done))]);
  await due.look();
  await due.plan('7', 'job:sooner', now + 1000);
  await due.plan('7', 'job:later', now + 9000);
  now += 1000;
  await due.look();
  expect(ran).toEqual(['sooner']);
});

test('notes for whoever does a row next are told apart from those that wait there, and do not stay for ever', async () => {
  const due = process([kind(async () => done)]);
  expect(await due.note('7', 'job:a', { reason: 'Spam' })).toBe(true);
  expect(await due.note('7', 'job:a', { reason: 'Spam' })).toBe(false);
  expect(await due.note('7', 'job:a', {})).toBe(false);
  expect(await server.redis.ttl(key('lease:job:a'))).toBeGreaterThan(8 * 86_400);
});

/** The most rows that were done at one time, of three servers with three each. */
async function mostAtOnce(of: Partial<Kind>): Promise<{ all: number; ofGuild: number }> {
  let running = 0;
  const inGuild = new Map<string, number>();
  const seen = { all: 0, ofGuild: 0 };
  const run: Kind['run'] = async ({ guild }) => {
    const here = (inGuild.get(guild) ?? 0) + 1;
    inGuild.set(guild, here);
    running += 1;
    seen.all = Math.max(seen.all, running);
    seen.ofGuild = Math.max(seen.ofGuild, here);
    // All that can begin has begun by then.
    for (let turn = 0; turn < 5; turn += 1) await server.redis.ping();
    inGuild.set(guild, here - 1);
    running -= 1;
    return done;
  };
  const guilds = ['7', '8', '9'];
  const due = process([{ ...kind(run), ...of }], { guilds: () => guilds });
  for (const guild of guilds) {
    for (const id of ['a', 'b', 'c']) await due.plan(guild, `job:${id}`, now);
  }
  await due.look();
  return seen;
}

test('rows of one kind are done one after the other in a server, and side by side in several up to a limit', async () => {
  expect(await mostAtOnce({ sideBySide: 8 })).toEqual({ all: 3, ofGuild: 1 });
  expect(await mostAtOnce({ sideBySide: 2 })).toEqual({ all: 2, ofGuild: 1 });
  expect((await mostAtOnce({ sideBySide: 8, ofGuild: 2 })).ofGuild).toBe(2);
});

test.each<[string, (stop: () => void, leave: () => void) => void, number]>([
  ['its process is stopping', (stop) => stop(), 0],
  ['its server is not reachable any more', (_, leave) => leave(), 15_000],
])('a row that fails because %s counts no failure, and keeps its notes', async (_, end, restMs) => {
  const stop = new AbortController();
  let guilds = ['7'];
  const run: Kind['run'] = async ({ write }) => {
    await write({ half: 1 });
    end(
      () => stop.abort(),
      () => (guilds = []),
    );
    throw new Error('Cut off.');
  };
  const due = process([kind(run)], { stopping: stop.signal, guilds: () => guilds });
  await due.plan('7', 'job:a', now);
  await due.look();
  expect(await troubleOf('job:a')).toBeNull();
  expect(Number(await server.redis.zscore(key('due'), 'job:a'))).toBe(now + restMs);
  expect(await server.redis.hgetall(key('lease:job:a'))).toEqual({ half: '1' });
});

test('the troubles of a server are read with the longest first, and what cannot be read is passed over', async () => {
  const trouble = { why: 'gone', detail: '', attempts: 0, told: false };
  await server.redis.hset(key('troubles'), {
    'job:young': JSON.stringify({ ...trouble, sinceMs: now }),
    'job:old': JSON.stringify({ ...trouble, sinceMs: now - 1 }),
    'job:broken': '{}',
  });
  await server.redis.zadd(key('due'), now + 5, 'job:old');
  const found = await readTroubles({ redis: server.redis, applicationId: '1' }, '7');
  expect(found.map(({ row, nextMs }) => [row, nextMs])).toEqual([
    ['job:old', now + 5],
    ['job:young', null],
  ]);
  // Redis tells all of so short ones at once.
  const short = JSON.stringify({ ...trouble, why: 'x', sinceMs: 1 });
  await server.redis.del(key('troubles'));
  for (let n = 0; n < 120; n += 1) await server.redis.hset(key('troubles'), `job:${n}`, short);
  expect(await readTroubles({ redis: server.redis, applicationId: '1' }, '7')).toHaveLength(100);
});

/** How long a row rests that is hindered since then (s). */
const restS = (hinderedS: number | null) => {
  const trouble = hinderedS === null ? null : { sinceMs: now - hinderedS * 1000 };
  return restOf({ trouble } as Held, now) / 1000;
};

test('a row that is hindered rests as long as it has been, a minute at least and an hour at most', () => {
  expect([null, 0, 59, 600, 9000].map(restS)).toEqual([60, 60, 60, 600, 3600]);
});

test('rows that were planned before their kind was known are done from then on', async () => {
  const ran: string[] = [];
  const due = process([]);
  await due.plan('7', 'job:a', now);
  await due.look();
  due.handle(kind(async ({ id }) => (ran.push(id), done)));
  await due.look();
  expect(ran).toEqual(['a']);
  // A process that follows needs no look for it.
  await server.redis.zadd(key('due'), now, 'job:b');
  const stop = new AbortController();
  process([kind(async ({ id }) => (ran.push(id), done))], { follows: true, stopping: stop.signal });
  await expect.poll(() => ran).toEqual(['a', 'b']);
  stop.abort();
});

test('a kind is handled once', () => {
  expect(() => process([kind(unanswered), kind(unanswered)])).toThrow('handled twice');
});

/** A connection that calls `instead` of a script, until it is `over`. */
async function withScript(
  name: 'takeDue' | 'endDue',
  instead: (ask: () => Promise<unknown>) => Promise<unknown>,
) {
  const redis = server.redis.duplicate();
  const store = { redis, applicationId: '1', log };
  const first = process([kind(async () => done)], { store });
  await first.plan('7', 'job:first', now);
  // A connection knows a script once it has run it.
  await first.look();
  const scripts = redis as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const script = scripts[name]!.bind(redis);
  scripts[name] = (...args) => instead(() => script(...args));
  onTestFinished(() => redis.disconnect());
  return { store, over: () => void (scripts[name] = script) };
}

test('a process goes on with a row that it could not end while Redis was away, as soon as it is planned', async () => {
  const { store, over } = await withScript('endDue', () =>
    Promise.reject(new Error('Connection is closed.')),
  );
  let ran = 0;
  const job = kind(async () => (ran++, done));
  const due = process([job], { store });
  await due.plan('7', 'job:a', now);
  await due.look();
  over();
  await due.plan('7', 'job:a', now);
  // Another process leaves it to the holder.
  await process([job]).look();
  expect(ran).toBe(1);
  await due.look();
  expect(ran).toBe(2);
});

test('somebody who waits for a row that another process has done meanwhile hears that nothing hinders it', async () => {
  const { store } = await withScript('takeDue', async (ask) => {
    await server.redis.zrem(key('due'), 'job:a');
    return ask();
  });
  const due = process([kind(async () => done)], { store });
  expect(await due.now('7', 'job:a')).toBeNull();
});

test('a row that is planned anew while its work goes on for long is not begun elsewhere', async () => {
  let [ranElsewhere, ranMeanwhile] = [0, 0];
  const other = process([kind(async () => (ranElsewhere++, done))]);
  const due = process([
    kind(async ({ write }) => {
      now += 20_000;
      await write({});
      now += 20_000;
      await other.plan('7', 'job:a', now);
      await other.look();
      ranMeanwhile = ranElsewhere;
      return done;
    }),
  ]);
  await due.plan('7', 'job:a', now);
  await due.begin();
  await due.stop();
  now += 60_000;
  await other.look();
  expect([ranMeanwhile, ranElsewhere]).toEqual([0, 1]);
});

test('a row that waits for its turn does not begin when the bot stops', async () => {
  const stopping = new AbortController();
  const ran: string[] = [];
  const job = kind(async ({ id }) => (ran.push(id), stopping.abort(), done), 'job', 1);
  const due = process([job], { stopping: stopping.signal });
  for (const id of ['a', 'b']) await due.plan('7', `job:${id}`, now);
  await due.look();
  expect(ran).toEqual(['a']);
  expect(await server.redis.zscore(key('due'), 'job:b')).not.toBeNull();
});

test('other processes hear when a server that arrives has something due by its own data', async () => {
  const told: unknown[] = [];
  const tell = (...said: unknown[]) => void told.push(said);
  const standing = async () => [{ row: 'job:a', atMs: now + 5000 }];
  const due = process([{ ...kind(async () => done), standing }], { tell });
  await due.arrive('7');
  expect(told).toEqual([['7', now + 5000]]);
});
