import { defineConfig } from 'vitest/config';

/** The long runs: many seeds, many operations. Not part of the checks of a change. */
export default defineConfig({
  test: {
    include: ['test/soak/**/*.soak.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
  },
});
