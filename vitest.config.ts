import { defineConfig } from 'vitest/config';

const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      { test: { name: 'all', include: ['test/**/*.test.ts'], ...timeouts } },
      {
        // The voting core once more, with every guild on one of three masters.
        test: {
          name: 'cluster',
          include: ['test/ranking/**/*.test.ts'],
          exclude: ['test/ranking/links/{canonical,parse,index}.test.ts'],
          env: { TEST_REDIS: 'cluster' },
          ...timeouts,
        },
      },
    ],
  },
});
