import * as fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { articleMessage } from '../../src/articles/messages/article-message.ts';
import { readArticles } from '../../src/ranking/articles/articles.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { listArticles } from '../../src/ranking/lists/ranked.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { type Scale, SPANS, TEXTBOOK } from '../../src/ranking/rules.ts';
import { openRanking, type Ranking } from '../../src/ranking/ranking.ts';
import { isWhole } from '../fixtures/sample.ts';
import { inconsistencies } from './consistency.ts';
import { Model, newCast, play, someEvents, someEventsOfATurn } from './model.ts';
import { APPLICATION, idAt, NOON, post, useRanking } from './test-ranking.ts';

const setup = useRanking();
const connections: Redis[] = [];
const rankings: Ranking[] = [];

beforeAll(() => {
  for (let i = 0; i < 4; i++) {
    const redis = connectRedis(setup.server.url, { log: createLog('silent'), name: `test ${i}` });
    connections.push(redis);
    rankings.push(openRanking({ redis, applicationId: APPLICATION }));
  }
});
afterAll(() => connections.forEach((redis) => redis.disconnect()));

// fast-check prints the seed and the smallest sequence that fails; FC_SEED plays it again.
const seed = process.env['FC_SEED'] === undefined ? {} : { seed: Number(process.env['FC_SEED']) };
const runs = (all: number) => (isWhole ? all : Math.ceil(all / 3));

test('after any sequence of events rankings, links and tallies agree and equal the model', async () => {
  await fc.assert(
    fc.asyncProperty(someEvents, async (events) => {
      const cast = newCast(setup.newGuild());
      const model = new Model();
      for (const [i, event] of events.entries()) {
        await play(rankings[i % rankings.length]!, cast, event);
        model.play(event);
      }
      expect(await inconsistencies(setup.ranking, cast.guild)).toEqual([]);
      expect(await model.differences(setup.ranking, cast)).toEqual([]);
    }),
    { numRuns: runs(150), ...seed },
  );
});

/** A message is sent as it is, and a deleted one is gone. A ★ that another mark makes is no news: a recount shows it. */
const UNPLANNED = new Set(['post', 'delete', 'scale']);

test('whatever changes what an article’s message says plans that it is shown, in the same step', async () => {
  const { ranking } = setup;
  /** What each message would say; null: its article is removed, or there is none. */
  const said = async ({ guild, articles }: ReturnType<typeof newCast>) => {
    const known = await readArticles(ranking, guild, articles);
    return known.map((article) => article && articleMessage({ ...article, beside: false }, 'en'));
  };
  await fc.assert(
    fc.asyncProperty(someEvents, async (events) => {
      const cast = newCast(setup.newGuild());
      const { due } = storeKeys(ranking, cast.guild);
      let before = await said(cast);
      for (const event of events) {
        await ranking.redis.del(due);
        await play(ranking, cast, event);
        const now = await said(cast);
        const changed = cast.articles.filter((_, at) => now[at] !== before[at]);
        before = now;
        if (UNPLANNED.has(event.kind)) continue;
        const planned = new Set(await ranking.redis.zrange(due, '0', '-1'));
        const lost = changed.filter((id) => !planned.has(`show:${id}`));
        expect([event, lost]).toEqual([event, []]);
      }
    }),
    { numRuns: runs(75), ...seed },
  );
});

test('what is sent within one turn of the event loop keeps its order', async () => {
  await fc.assert(
    fc.asyncProperty(someEventsOfATurn, async (events) => {
      const cast = newCast(setup.newGuild());
      const model = new Model();
      const played = events.map((event) => play(setup.ranking, cast, event));
      for (const event of events) model.play(event);
      await Promise.all(played);
      expect(await inconsistencies(setup.ranking, cast.guild)).toEqual([]);
      expect(await model.differences(setup.ranking, cast)).toEqual([]);
    }),
    { numRuns: runs(100), ...seed },
  );
});

test('in any interleaving of four connections rankings, links and tallies agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someEvents, { minLength: 4, maxLength: 4 }), async (streams) => {
      const cast = newCast(setup.newGuild());
      await Promise.all(
        streams.map(async (events, i) => {
          for (const event of events) await play(rankings[i]!, cast, event);
        }),
      );
      // Re-scorings and re-listings that met each other end with the last word.
      for (const event of [
        { kind: 'scale', mark: 7, spanDays: 3 },
        ...[0, 1, 2].map((home) => ({ kind: 'list', home, listed: true })),
      ] as const) {
        await play(rankings[0]!, cast, event as Parameters<typeof play>[2]);
      }
      expect(await inconsistencies(setup.ranking, cast.guild)).toEqual([]);
    }),
    { numRuns: runs(75), ...seed },
  );
});

const tally = (net: number, down: number) => {
  const downs = Math.max(down, 1 - net);
  return { up: downs + net, down: downs, closed: false };
};

async function order(guild: string): Promise<string[]> {
  const list = { guild, order: 'score', page: 1, pageSize: 100 } as const;
  return (await listArticles(setup.ranking, list)).articles.map(({ id }) => id);
}

const scales = fc.record({
  mark: fc.integer({ min: 1, max: 2000 }),
  spanDays: fc.constantFrom(...SPANS),
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('of two articles with at most two marks, one with a mark more net votes outranks one posted less than a span later', async () => {
  const votes = fc.record({ down: fc.nat(500), below: fc.nat(700), more: fc.nat(5) });
  await fc.assert(
    fc.asyncProperty(scales, share, votes, async (scale, part, { down, below, more }) => {
      const { mark, spanDays } = scale;
      const laterMs = 1 + Math.floor(part * (spanDays * DAY_MS - 2));
      const guild = setup.newGuild();
      const net = Math.min(2 * mark, 2 * mark - below + more);
      await setScale(setup.ranking, guild, scale);
      const id = idAt(NOON);
      const better = await post(setup.ranking, guild, { tally: tally(net, down), id });
      const worse = await post(setup.ranking, guild, {
        tally: tally(net - mark, down),
        id: idAt(NOON + laterMs),
      });
      expect(await order(guild)).toEqual([better, worse]);
    }),
    { numRuns: runs(200), ...seed },
  );
});

test('nothing outranks an article without net down votes that was posted two spans later or more', async () => {
  const votes = fc.record({ earlier: fc.nat(20_000), later: fc.nat(20_000), down: fc.nat(500) });
  await fc.assert(
    fc.asyncProperty(scales, share, votes, async (scale, part, { earlier, later, down }) => {
      const guild = setup.newGuild();
      await setScale(setup.ranking, guild, scale);
      const laterMs = 2 * scale.spanDays * DAY_MS + Math.floor(part * part * DAY_MS);
      const older = await post(setup.ranking, guild, {
        tally: tally(earlier, down),
        id: idAt(NOON),
      });
      const newer = await post(setup.ranking, guild, {
        tally: tally(later, down),
        id: idAt(NOON + laterMs),
      });
      expect(await order(guild)).toEqual([newer, older]);
    }),
    { numRuns: runs(200), ...seed },
  );
});

/**
 * 50 interesting articles a day beside 500 others for two days: the volume of the book's claim. Of the ten
 * days before, the interesting ones, which can still stand above.
 */
const POSTS = Array.from({ length: 12 * 550 }, (_, i) => ({
  postedAtMs: NOON + Math.floor(((i - 10 * 550) * DAY_MS) / 550),
  isInteresting: i % 11 === 0,
  /** Evenly spread from 0 to 1, and the same in each run. */
  spread: (i * 0.618_034) % 1,
})).filter(({ postedAtMs, isInteresting }) => isInteresting || postedAtMs >= NOON);

/** How many of the first day's fifty interesting articles stand among the first hundred for a day. */
async function keptForADay(scale: Scale, netOf: (post: (typeof POSTS)[number]) => number) {
  const guild = setup.newGuild();
  await setScale(setup.ranking, guild, scale);
  const kept = new Map<string, number>();
  let next = 0;
  for (let now = NOON; now < NOON + 2 * DAY_MS; now += 3_600_000) {
    const due: Promise<unknown>[] = [];
    for (; next < POSTS.length && POSTS[next]!.postedAtMs <= now; next++) {
      const one = POSTS[next]!;
      const id = idAt(one.postedAtMs);
      due.push(post(setup.ranking, guild, { id, tally: tally(netOf(one), 0) }));
      const age = one.postedAtMs - NOON;
      if (one.isInteresting && age >= 0 && age < DAY_MS) kept.set(id, one.postedAtMs);
    }
    await Promise.all(due);
    const first = new Set(await order(guild));
    for (const [id, postedAtMs] of kept) {
      if (now - postedAtMs < DAY_MS && !first.has(id)) kept.delete(id);
    }
  }
  return kept.size;
}

const FITTED = { mark: 200, spanDays: 1, isLimited: true } as const;

/** The interesting ones have just the mark. */
function justTheMark({ isInteresting, spread }: (typeof POSTS)[number]): number {
  return isInteresting ? 200 : Math.floor(20 * spread);
}

/** Pareto's distribution: of the interesting ones, a fifth has four times the mark or more. */
function heavyTailed({ isInteresting, spread }: (typeof POSTS)[number]): number {
  const heavy = (1 - spread) ** (-1 / 1.16);
  return Math.floor(isInteresting ? Math.min(20_000, 200 * heavy) : Math.min(199, heavy));
}

test.each([
  ['the textbook', TEXTBOOK],
  ['the limit', FITTED],
])(
  'fifty interesting articles a day that have just the mark stay among the first hundred for a day by %s',
  async (_name, scale) => {
    expect(await keptForADay(scale, justTheMark)).toBe(50);
  },
);

test('with heavy-tailed votes the limit keeps no fewer of the fifty for a day than the textbook', async () => {
  const textbook = await keptForADay(TEXTBOOK, heavyTailed);
  const limited = await keptForADay(FITTED, heavyTailed);
  expect(limited).toBeGreaterThanOrEqual(Math.max(textbook, 36));
  expect(textbook).toBeLessThan(50);
});
