import { defineConfig } from 'vitest/config';

/** Long enough for a machine that is busy with other work. */
const timeouts = { testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        // What every change must pass, in three minutes.
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts'],
          ...timeouts,
        },
      },
      { test: { name: 'slow', include: ['test/**/*.slow.test.ts'], ...timeouts } },
      {
        // The ranking once more, with every guild on one of three masters.
        test: {
          name: 'cluster',
          include: ['test/ranking/**/*.test.ts'],
          exclude: ['test/ranking/links/{canonical,parse,index}.test.ts'],
          env: { TEST_REDIS: 'cluster' },
          ...timeouts,
        },
      },
      {
        // Many seeds and many operations, by hand.
        test: {
          name: 'soak',
          include: ['test/soak/**/*.soak.ts'],
          maxWorkers: 1,
          testTimeout: 3_600_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
