import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

type Violation = { from: string; rule: { name: string } };

/** Runs the linter on these files alone. Returns the rules that each file breaks. */
function lint(files: Record<string, string>): Record<string, string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'frontpage-imports-'));
  folders.push(folder);
  for (const name of ['src', 'commands', 'sandbox']) mkdirSync(join(folder, name));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const name of ['package.json', '.dependency-cruiser.js']) cpSync(name, join(folder, name));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const { stdout, stderr } = spawnSync(
    'node_modules/.bin/depcruise',
    ['--output-type', 'json', 'src', 'commands', 'sandbox'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  const found: Record<string, string[]> = {};
  for (const { from, rule } of summary.violations) (found[from] ??= []).push(rule.name);
  return found;
}

test('the linter refuses imports against the directions, and circles, of types too', () => {
  const kept = {
    'src/text/b.ts': "export { a } from './a.ts';\nexport const b = 1;",
    'src/text/d.ts': "import type { C } from './c.ts';\nexport type D = C;",
    'src/clock.ts': 'export type Clock = number;',
    'src/start.ts': "import { app } from './app.ts';\nexport const start = app;",
    'src/app.ts': "import type { Reactions } from './voting/reactions.ts';\nexport const app = 1;",
    'src/main.ts': "import { start } from './start.ts';\nimport 'ioredis';\nimport 'discord.js';",
    'src/redis/connection.ts': "import 'ioredis';\nexport type { Clock } from '../clock.ts';",
    'src/ranking/lists/page.ts': "import '../../redis/connection.ts';\nexport const page = 1;",
    'src/voting/reactions.ts': "import 'discord.js';\nexport type Reactions = 1;",
    'src/web/pages.ts': "import 'hono/html';",
    'commands/top.ts': "export { page } from '../src/ranking/lists/page.ts';",
    'sandbox/main.ts': "import 'ws';",
  };
  const broken: Record<string, [text: string, ...rules: string[]]> = {
    'src/log.ts': ["import './redis/connection.ts';", 'leaves-import-nothing-of-the-house'],
    'src/redis/a.ts': ["import '../ranking/lists/page.ts';", 'redis-imports-only-rooms-below'],
    'src/redis/b.ts': ["import type { app } from '../app.ts';", 'redis-imports-only-rooms-below'],
    'src/redis/c.ts': [
      "export * from '../ranking/lists/page.ts';",
      'redis-imports-only-rooms-below',
    ],
    'src/ranking/lists/a.ts': [
      "export const reactions = await import('../../voting/reactions.ts');",
      'ranking-imports-only-rooms-below',
    ],
    'src/web/a.ts': ["import 'discord.js';", 'floor-one-knows-no-discord'],
    'src/web/b.ts': ["import 'playwright-core';", 'the-bot-needs-no-development-package'],
    'src/voting/a.ts': ["import type { Redis } from 'ioredis';", 'floor-two-knows-no-redis'],
    'src/digest/a.ts': ["import '../voting/reactions.ts';", 'digest-imports-only-rooms-below'],
    'src/recount/a.ts': [
      "import { start } from '../start.ts';",
      'recount-imports-only-rooms-below',
      'only-main-and-cli-import-start',
    ],
    'src/chat/a.ts': ["import '../clock.ts';", 'a-new-room-says-what-it-may-import'],
    'src/cli/a.ts': ["import '../../sandbox/main.ts';", 'src-stands-alone'],
    'commands/post.ts': ["import './top.ts';", 'commands-do-not-import-each-other'],
    'commands/mod.ts': ["import '../src/start.ts';", 'only-main-and-cli-import-start'],
    'sandbox/a.ts': ["import '../src/start.ts';", 'sandbox-knows-nothing-of-the-bot'],
    // A circle is reported at one of its files.
    'src/text/a.ts': ["export { b } from './b.ts';\nexport const a = 1;", 'no-circles'],
    'src/text/c.ts': ["import type { D } from './d.ts';\nexport type C = D;", 'no-circles'],
  };
  const texts = Object.entries(broken).map(([path, [text]]) => [path, text]);
  const found = lint({ ...kept, ...Object.fromEntries(texts) });
  // Several forbidden imports of these files make circles of their folders too.
  for (const path of Object.keys(found)) if (!path.endsWith('.ts')) delete found[path];
  const expected = Object.entries(broken).map(([path, [, ...rules]]) => [path, rules.sort()]);
  for (const rules of Object.values(found)) rules.sort();
  expect(found).toEqual(Object.fromEntries(expected));
});

test('the linter refuses a circle of folders in which no file is in a circle', () => {
  const found = lint({
    'src/records/left/to.ts': 'export const to = 1;',
    'src/records/right/to.ts': 'export const to = 1;',
    'src/records/left/over.ts': "import '../right/to.ts';",
    'src/records/right/over.ts': "import '../left/to.ts';",
    // A folder contains its subfolder.
    'src/text/top.ts': "import './low/low.ts';",
    'src/text/low/low.ts': "import '../base.ts';",
    'src/text/base.ts': 'export const base = 1;',
  });
  expect(found).toEqual({
    'src/records/left': ['no-circles-of-folders'],
    'src/records/right': ['no-circles-of-folders'],
  });
});
