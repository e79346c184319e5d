import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/fixtures/patience.ts';
import { LongestFirst } from './test/longest-first.ts';

/**
 * The files of a worker share their modules: loading discord.js and the bot anew for each of them
 * took a third of the time. A test therefore leaves nothing behind: it puts back what it changed in
 * the process and stops what it started.
 */
const shared = {
  isolate: false,
  // Most of what a test makes is garbage at once: with more room for it, a tenth of the processor's time is saved.
  execArgv: ['--max-semi-space-size=32'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: PATIENCE_MS, interval: 10 } },
};

/** Holds what the bot and the sandbox say to Discord's specification. */
const contract = {
  setupFiles: ['discord-box/test/contract/watch.ts'],
  globalSetup: ['discord-box/test/contract/checked.ts'],
};

export default defineConfig({
  test: {
    pool: 'forks',
    // More than cores, since many tests wait: for a tick, a time limit, another process.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // What every change must pass, in three minutes.
        test: {
          name: 'all',
          include: ['{test,discord-box/test}/**/*.test.ts'],
          exclude: ['**/*.slow.test.ts'],
          ...shared,
          ...contract,
        },
      },
      {
        test: {
          name: 'slow',
          include: ['{test,discord-box/test}/**/*.slow.test.ts'],
          ...shared,
          ...contract,
        },
      },
      {
        // Every case of the tests of which `npm test` and `npm run test:slow` run a sample.
        test: {
          name: 'whole',
          include: ['{test,discord-box/test}/**/*.{sample,slow}.test.ts'],
          env: { TEST_WHOLE: 'yes' },
          ...shared,
          ...contract,
        },
      },
      {
        // The ranking once more, with every guild on one of three masters.
        test: {
          name: 'cluster',
          include: ['test/ranking/**/*.test.ts'],
          exclude: ['test/ranking/links/{canonical,parse}.test.ts'],
          env: { TEST_REDIS: 'cluster' },
          ...shared,
        },
      },
      {
        // The core and the main loop on whatever server PATH has first: `.ci/run` puts a Valkey there.
        test: {
          name: 'engine',
          include: [
            'test/ranking/{articles,ballots,lists}/**/*.test.ts',
            'test/redis/{lease,connection}.test.ts',
            'test/redis/startup-checks/*.test.ts',
            'test/digests/posting/*.test.ts',
            'test/votes/recount/compare.test.ts',
            'test/process/main.sample.test.ts',
          ],
          ...shared,
        },
      },
      {
        // Many seeds and many operations, by hand.
        test: {
          name: 'soak',
          include: ['test/drills/soak/**/*.soak.ts'],
          maxWorkers: 1,
          ...shared,
          testTimeout: 3 * 3_600_000,
        },
      },
    ],
  },
});
