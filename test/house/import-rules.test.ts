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
  for (const name of ['src', 'commands', 'discord-box', 'sandbox']) mkdirSync(join(folder, name));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const name of ['package.json', '.dependency-cruiser.js']) cpSync(name, join(folder, name));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const { stdout, stderr } = spawnSync(
    'node_modules/.bin/depcruise',
    ['--output-type', 'json', 'src', 'commands', 'discord-box', 'sandbox'],
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
    'src/runtime/clock.ts': 'export type Clock = number;',
    'src/bot.ts':
      "import type { Votes } from './votes/votes.ts';\nexport const start = 1;\nexport type Bot = Votes;",
    'src/main.ts': "import { start } from './bot.ts';\nimport 'discord.js';",
    'src/redis/connection.ts':
      "import 'ioredis';\nexport type { Clock } from '../runtime/clock.ts';",
    'src/ranking/lists/page.ts': "import '../../redis/connection.ts';\nexport const page = 1;",
    'src/votes/votes.ts': "import 'discord.js';\nexport type Votes = 1;",
    'src/privacy/erase.ts': "import '../votes/votes.ts';\nexport const erase = 1;",
    'src/web/pages.ts': "import 'hono/html';",
    'commands/top.ts': "export { page } from '../src/ranking/lists/page.ts';",
    'discord-box/src/box.ts': "import 'ws';\nexport const box = 1;",
    'sandbox/main.ts':
      "import '../discord-box/src/box.ts';\nexport type { Clock } from '../src/runtime/clock.ts';",
  };
  const broken: Record<string, [text: string, ...rules: string[]]> = {
    'src/runtime/log.ts': ["import '../redis/connection.ts';", 'runtime-imports-only-rooms-below'],
    'src/redis/a.ts': ["import '../ranking/lists/page.ts';", 'redis-imports-only-rooms-below'],
    'src/redis/b.ts': [
      "import type { Bot } from '../bot.ts';",
      'no-feature-knows-the-whole-bot',
      'redis-imports-only-rooms-below',
    ],
    'src/redis/c.ts': [
      "export * from '../ranking/lists/page.ts';",
      'redis-imports-only-rooms-below',
    ],
    'src/ranking/lists/a.ts': [
      "export const votes = await import('../../votes/votes.ts');",
      'ranking-imports-only-rooms-below',
    ],
    'src/ranking/b.ts': ["import 'discord.js';", 'rooms-that-know-no-discord'],
    'src/web/a.ts': ["import '../privacy/erase.ts';", 'web-imports-only-rooms-below'],
    'src/web/b.ts': ["import 'playwright-core';", 'the-bot-needs-no-development-package'],
    'src/votes/a.ts': [
      "import type { Redis } from 'ioredis';",
      'redis-is-reached-through-its-room',
    ],
    'src/digests/a.ts': [
      "import type { erase } from '../privacy/erase.ts';",
      'digests-imports-only-rooms-below',
    ],
    'src/history/a.ts': [
      "import { start } from '../bot.ts';",
      'history-imports-only-rooms-below',
      'no-feature-knows-the-whole-bot',
    ],
    'src/chat/a.ts': ["import '../runtime/clock.ts';", 'a-new-room-says-what-it-may-import'],
    'src/panel/a.ts': [
      "import '../../sandbox/main.ts';",
      'panel-imports-only-rooms-below',
      'src-stands-alone',
    ],
    'commands/post.ts': ["import './top.ts';", 'commands-do-not-import-each-other'],
    'discord-box/src/a.ts': [
      "import '../../sandbox/main.ts';",
      'the-discord-in-a-box-stands-alone',
    ],
    'sandbox/tour/a.ts': [
      "import '../../src/votes/votes.ts';",
      'the-tour-knows-only-what-the-bot-writes',
    ],
    'sandbox/tour/panel/a.ts': [
      "import '../../../src/runtime/clock.ts';",
      'what-the-browser-shows-knows-nothing-of-the-bot',
    ],
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
    'src/ranking/left/to.ts': 'export const to = 1;',
    'src/ranking/right/to.ts': 'export const to = 1;',
    'src/ranking/left/over.ts': "import '../right/to.ts';",
    'src/ranking/right/over.ts': "import '../left/to.ts';",
    // A folder contains its subfolder.
    'src/text/top.ts': "import './low/low.ts';",
    'src/text/low/low.ts': "import '../base.ts';",
    'src/text/base.ts': 'export const base = 1;',
  });
  expect(found).toEqual({
    'src/ranking/left': ['no-circles-of-folders'],
    'src/ranking/right': ['no-circles-of-folders'],
  });
});
