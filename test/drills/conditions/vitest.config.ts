import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { defineConfig } from 'vitest/config';
import quick from '../../../vitest.config.ts';
import { watched } from './conditions.ts';

const root = join(import.meta.dirname, '../../..');

const watch = {
  name: 'watch-conditions',
  enforce: 'pre' as const,
  load(id: string) {
    const file = relative(root, id.split('?')[0] ?? id)
      .split(sep)
      .join('/');
    if (!/^(src|commands)\/.*\.ts$/.test(file)) return null;
    return watched(readFileSync(join(root, file), 'utf8'), file);
  },
};

/** The quick tests, which note what each condition of the bot was. */
const { projects = [], ...rest } = quick.test ?? {};
export default defineConfig({
  root,
  test: {
    ...rest,
    provide: { sawConditions: process.env['SAW_CONDITIONS'] ?? '' },
    projects: projects.flatMap((project) => {
      if (typeof project !== 'object' || !('test' in project)) return [];
      const { test } = project;
      if (test?.name !== 'all') return [];
      const setupFiles = [
        join(import.meta.dirname, 'record.ts'),
        ...[test.setupFiles ?? []].flat(),
      ];
      return [{ ...project, root, plugins: [watch], test: { ...test, setupFiles } }];
    }),
  },
});
