import { expect, test } from 'vitest';
import { voteBesideRemovals } from '../../votes/votes-beside-removal.ts';

/** `SOAK_SEED=17 SOAK_SEEDS=1 npm run soak -- test/drills/soak/votes-beside-removal.soak.ts` plays seed 17 alone. */
const first = Number(process.env['SOAK_SEED'] ?? 1);
const seeds = Array.from(
  { length: Number(process.env['SOAK_SEEDS'] ?? 20) },
  (_, at) => first + at,
);
const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10);

test.each(seeds)(
  'votes are what Discord shows, and lists what is not removed, after any trouble (seed %i)',
  async (seed) => {
    const { done, ...wrong } = await voteBesideRemovals(seed, {
      rounds,
      troubles: ['none', 'Redis is away', 'the session is lost', 'it restarts', 'it dies', 'two'],
    });
    console.log(`Seed ${seed}: ${JSON.stringify(done)}`);
    expect(wrong).toEqual({ wrongTallies: [], wrong: [] });
  },
  600_000,
);
