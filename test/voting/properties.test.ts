import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { connectRedis } from '../../src/store/redis.ts';
import { weightOf } from '../../src/voting/rules.ts';
import { openRanking, type Ranking } from '../../src/voting/ranking.ts';
import { audit } from './books.ts';
import { Model, newCast, play, someEvents } from './model.ts';
import { APPLICATION, usePlace } from './place.ts';

const place = usePlace();
const connections: Redis[] = [];
const rankings: Ranking[] = [];

beforeAll(() => {
  for (let i = 0; i < 4; i++) {
    const redis = connectRedis(place.server.url, { log: createLog('silent'), name: `test ${i}` });
    connections.push(redis);
    rankings.push(openRanking(redis, APPLICATION));
  }
});
afterAll(() => connections.forEach((redis) => redis.disconnect()));

// fast-check prints the seed and the smallest sequence that fails; FC_SEED plays it again.
const seed = process.env['FC_SEED'] === undefined ? {} : { seed: Number(process.env['FC_SEED']) };

test('after any sequence of events the books balance and equal the model', async () => {
  await fc.assert(
    fc.asyncProperty(someEvents, async (events) => {
      const cast = newCast(place.newGuild());
      const model = new Model();
      for (const [i, event] of events.entries()) {
        await play(rankings[i % rankings.length]!, cast, event);
        model.play(event);
      }
      expect(await audit(place.ranking, cast.guild)).toEqual([]);
      expect(await model.differences(place.ranking, cast)).toEqual([]);
    }),
    { numRuns: 150, ...seed },
  );
});

test('in any interleaving of four connections the books balance', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someEvents, { minLength: 4, maxLength: 4 }), async (streams) => {
      const cast = newCast(place.newGuild());
      await Promise.all(
        streams.map(async (events, i) => {
          for (const event of events) await play(rankings[i]!, cast, event);
        }),
      );
      // Re-scorings and re-listings that met each other end with the last word.
      for (const event of [
        { kind: 'mark', mark: 7 },
        ...[0, 1, 2].map((home) => ({ kind: 'list', home, listed: true })),
      ] as const) {
        await play(rankings[0]!, cast, event as Parameters<typeof play>[2]);
      }
      expect(await audit(place.ranking, cast.guild)).toEqual([]);
    }),
    { numRuns: 60, ...seed },
  );
});

test('an article with a mark more net votes outranks one posted less than a day later', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1_600_000_000, max: 2_000_000_000 }),
      fc.integer({ min: 0, max: 86_399 }),
      fc.integer({ min: -5000, max: 5000 }),
      fc.nat(1000),
      (mark, postedAt, later, net, more) => {
        const score = (seconds: number, votes: number) => seconds + weightOf(mark) * votes;
        expect(score(postedAt, net + mark + more)).toBeGreaterThan(score(postedAt + later, net));
      },
    ),
    seed,
  );
});
