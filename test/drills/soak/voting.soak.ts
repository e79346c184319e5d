import * as fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../../src/runtime/log.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { openRanking, type Ranking } from '../../../src/ranking/ranking.ts';
import { inconsistencies } from '../../ranking/consistency.ts';
import { anEvent, Model, newCast, play } from '../../ranking/model.ts';
import { APPLICATION, useRanking } from '../../ranking/test-ranking.ts';

const OPERATIONS = 1_000_000;
const GUILDS = 20;
/** Operations under way at once; those of one guild are in order on one connection. */
const CONNECTIONS = 4;
const AUDITS = 10;

const setup = useRanking();
const connections: Redis[] = [];
const rankings: Ranking[] = [];

beforeAll(() => {
  for (let i = 0; i < CONNECTIONS; i++) {
    const redis = connectRedis(setup.server.url, { log: createLog('silent'), name: `soak ${i}` });
    connections.push(redis);
    rankings.push(openRanking({ redis, applicationId: APPLICATION }));
  }
});
afterAll(() => connections.forEach((redis) => redis.disconnect()));

test('a million operations leave no drift', async () => {
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`Seed ${seed}: FC_SEED=${seed} plays this again.`);
  const casts = Array.from({ length: GUILDS }, () => newCast(setup.newGuild()));
  const models = casts.map(() => new Model());
  const perGuild = OPERATIONS / GUILDS / AUDITS;
  for (let round = 0; round < AUDITS; round++) {
    await Promise.all(
      casts.map(async (cast, g) => {
        const events = fc.sample(anEvent, { numRuns: perGuild, seed: seed + round * GUILDS + g });
        for (const event of events) {
          await play(rankings[g % CONNECTIONS]!, cast, event);
          models[g]!.play(event);
        }
      }),
    );
    for (const [g, cast] of casts.entries()) {
      expect(await inconsistencies(setup.ranking, cast.guild)).toEqual([]);
      expect(await models[g]!.differences(setup.ranking, cast)).toEqual([]);
    }
    console.log(`${((round + 1) * OPERATIONS) / AUDITS} operations balance.`);
  }
}, 3_600_000);
