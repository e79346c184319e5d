import { describe, expect, test } from 'vitest';
import {
  importsGoOneWay,
  packagesStayInTheirPart,
  theBotNeedsNoDevelopmentPackage,
} from './house-rules/imports.ts';
import { luaHeadersMatchTheirBodies } from './house-rules/lua-headers.ts';
import {
  commandsAreCalledAsTheirFiles,
  foldersSayWhatTheyKnow,
  namesAreKebabCase,
} from './house-rules/names.ts';
import {
  documentsNameNoMachine,
  onlyConfigReadsTheEnvironment,
  onlyTheClockKnowsTheTime,
  theLockHoldsEveryPlatform,
  theLockNamesNoRegistry,
} from './house-rules/texts.ts';
import { readTree, type Rule } from './house-rules/tree.ts';

/** Each rule with a tree that keeps it and trees that break it. */
type Example = { rule: Rule; kept: Record<string, string>; broken: Record<string, string>[] };

const script = (header: string[], body: string[]) =>
  ['-- Does it.', '--', ...header, "-- Returns {'done'}", ...body].join('\n');
const lua = (text: string) => ({ 'src/voting/lua/do-it.lua': text });

const rules: Record<string, Example> = {
  'imports go one way': {
    rule: importsGoOneWay,
    kept: {
      'src/main.ts': "import { a } from './voting/a.ts';\nimport { c } from './config.ts';",
      'src/voting/a.ts': "import { b } from './b.ts';\nimport type { Log } from '../log.ts';",
      'commands/post.ts': "import {\n  a,\n} from '../src/voting/a.ts';",
      'sandbox/main.ts': "import { s } from '../src/redis/private-server/server.ts';",
      'test/a.test.ts': "import { s } from '../sandbox/tour/main.ts';",
    },
    broken: [
      { 'src/voting/a.ts': "import { b } from '../discord/b.ts';" },
      { 'src/voting/a.ts': "import type { B } from '../discord/b.ts';" },
      { 'src/voting/a.ts': "export * from '../discord/b.ts';" },
      { 'src/voting/a.ts': "import '../discord/b.ts';" },
      { 'src/voting/a.ts': "const b = await import('../discord/b.ts');" },
      { 'src/voting/a.ts': "import {\n  b,\n  c,\n} from '../store/b.ts';" },
      { 'src/web/a.ts': "import { b } from '../discord/b.ts';" },
      { 'src/discord/a.ts': "import { b } from '../digest/b.ts';" },
      { 'src/digest/a.ts': "import { b } from '../recount/b.ts';" },
      { 'src/store/a.ts': "import { b } from '../config.ts';" },
      { 'src/store/a.ts': "import { b } from '../../sandbox/b.ts';" },
      { 'src/main.ts': "import { b } from '../sandbox/b.ts';" },
      { 'src/main.ts': "import { b } from '../test/b.ts';" },
      { 'src/clock.ts': "import { b } from './store/b.ts';" },
      { 'commands/post.ts': "import { b } from './top.ts';" },
      { 'sandbox/main.ts': "import { b } from '../src/redis/connection.ts';" },
      { 'sandbox/main.ts': "import { b } from '../src/discord/client.ts';" },
      { 'src/new-part/a.ts': "import { b } from '../voting/b.ts';" },
    ],
  },
  'packages stay in their part': {
    rule: packagesStayInTheirPart,
    kept: {
      'src/voting/a.ts': "import type { Redis } from 'ioredis';",
      'commands/post.ts': "import { b } from 'discord.js';",
    },
    broken: [
      { 'src/discord/a.ts': "import type { Redis } from 'ioredis';" },
      { 'sandbox/a.ts': "import { Redis } from 'ioredis';" },
      { 'src/voting/a.ts': "import type { Message } from 'discord.js';" },
      { 'src/store/a.ts': "import { b } from '@discordjs/rest';" },
      { 'src/web/a.ts': "import { b } from 'discord.js';" },
    ],
  },
  'the bot needs no development package': {
    rule: theBotNeedsNoDevelopmentPackage,
    kept: {
      'package.json': '{ "dependencies": { "zod": "1", "@scope/a": "1" } }',
      'src/a/b.ts':
        "import { z } from 'zod';\nimport '@scope/a/b.js';\nimport { c } from 'node:fs';\nimport type { T } from 'types';",
    },
    broken: [
      { 'package.json': '{ "devDependencies": { "ws": "1" } }', 'src/a.ts': "import 'ws';" },
      { 'package.json': '{}', 'commands/a.ts': "import { z } from 'zod';" },
    ],
  },
  'names are kebab-case': {
    rule: namesAreKebabCase,
    kept: { 'src/voting/lua/cast-vote.lua': '', 'test/a-b.test.ts': '', 'bench/README.md': '' },
    broken: [{ 'src/voting/castVote.ts': '' }, { 'src/My_Folder/a.ts': '' }, { 'test/A.ts': '' }],
  },
  'folders say what they know': {
    rule: foldersSayWhatTheyKnow,
    kept: { 'src/voting/common.ts': '' },
    broken: [{ 'src/utils/a.ts': '' }, { 'src/web/lib/a.ts': '' }, { 'test/helpers/a.ts': '' }],
  },
  'only config.ts reads the environment': {
    rule: onlyConfigReadsTheEnvironment,
    kept: {
      'src/config.ts': 'return process.env;',
      'src/a.ts': '// Not from process.env.\nprocess.exit();',
      'test/a.ts': 'process.env',
    },
    broken: [
      { 'src/a.ts': 'const a = process.env.A;' },
      { 'commands/a.ts': "const a = process['env'];" },
      { 'src/a.ts': 'const { env } = process;' },
      { 'src/a.ts': "import { env } from 'node:process';" },
      { 'src/main.ts': 'process.loadEnvFile();' },
    ],
  },
  'only clock.ts knows the time': {
    rule: onlyTheClockKnowsTheTime,
    kept: {
      'src/clock.ts': 'Date.now()',
      'src/a.ts': '/** Nobody calls\n * Date.now() */\nnew Date(now); // not Date.now()',
    },
    broken: [
      { 'src/a.ts': 'const now = Date.now();' },
      { 'commands/a.ts': 'f(Date.now)' },
      { 'sandbox/a.ts': 'const now = new Date();' },
    ],
  },
  'Lua headers match their bodies': {
    rule: luaHeadersMatchTheirBodies,
    kept: {
      ...lua(
        script(
          ['-- KEYS[1]  a  set', '-- KEYS[2]  b  set', '-- ARGV[1]  c  x', '-- ARGV[2..] d  x'],
          [
            '-- include save-tally',
            'local a, map = KEYS[1], { b = KEYS[2] }',
            'local c, rest = tonumber(ARGV[1]), { unpack(ARGV, 2) }',
            'redis.call(a)',
          ],
        ),
      ),
      'src/voting/lua/save-tally.include.lua': 'local function saveTally() end',
      'src/voting/lua/do-it-once.lua': '-- Does it.\n-- Returns what `do-it` does\nreturn 1',
    },
    broken: [
      lua(script(['-- KEYS[1]  a  set'], [''])),
      lua(script([], ['local a = KEYS[1]'])),
      lua(script(['-- KEYS[1]  a  set'], ['local b = KEYS[1]'])),
      lua(script(['-- KEYS[1]  a', '-- ARGV[1]  b'], ['local b, a = KEYS[1], ARGV[1]'])),
      lua(script(['-- KEYS[1]  a  set'], ['local a = KEYS[1]', 'local b = KEYS[1]'])),
      lua(script(['-- KEYS[1]  a  set'], ["redis.call('GET', KEYS[1])"])),
      lua(script(['-- KEYS[1]  a'], ["redis.call('GET', 'a')", 'local a = KEYS[1]'])),
      lua(script(['-- KEYS[1]  a', '-- KEYS[1]  a'], ['local a = KEYS[1]'])),
      lua(script(['-- ARGV[1..]  a'], ['local a = ARGV[1]'])),
      lua(script(['-- ARGV[2..]  a'], ['local a = { unpack(ARGV, 3) }'])),
      lua(script([], ['return #ARGV'])),
      lua(script([], ['-- include nothing'])),
      lua('-- Does it.\n-- KEYS[1]  a  set\nlocal a = KEYS[1]'),
      lua('-- Does it.\n-- Returns what `do-nothing` does\nreturn 1'),
      lua("local a = KEYS[1]\n-- KEYS[1]  a\n-- Returns {'a'}"),
      { 'src/voting/lua/save-tally.include.lua': 'local a = KEYS[1]' },
      { 'src/voting/lua/save-tally.include.lua': 'if a then\n  -- include nothing\nend' },
    ],
  },
  'the lock names no registry': {
    rule: theLockNamesNoRegistry,
    kept: { 'package-lock.json': '{ "integrity": "sha512-…", "resolved": "sandbox" }' },
    broken: [{ 'package-lock.json': '{ "resolved": "https://registry.npmjs.org/a" }' }],
  },
  'the lock holds the packages of every platform': {
    rule: theLockHoldsEveryPlatform,
    kept: {
      'package-lock.json':
        '{ "packages": { "node_modules/a": { "optionalDependencies": { "b": "1" } }, "node_modules/b": {} } }',
    },
    broken: [
      {
        'package-lock.json':
          '{ "packages": { "node_modules/a": { "optionalDependencies": { "b": "1" } } } }',
      },
    ],
  },
  "documents name no path of somebody's machine": {
    rule: documentsNameNoMachine,
    kept: { 'README.md': 'See `/etc/hosts` and https://example.com/work/a.' },
    broken: [
      { 'README.md': 'Run `/home/me/frontpage`.' },
      { 'docs/a.md': '/work/main' },
      { '.env.example': 'DATA_DIR=/root/data' },
    ],
  },
};

const tree = readTree();

describe.each(Object.entries(rules))('%s', (_, { rule, kept, broken }) => {
  test('everywhere', () => {
    expect(rule(tree)).toEqual([]);
  });
  test('in an example that keeps the rule', () => {
    expect(rule(new Map(Object.entries(kept)))).toEqual([]);
  });
  test.each(broken)('and not in %j', (files) => {
    expect(rule(new Map(Object.entries(files)))).not.toEqual([]);
  });
});

describe("a command's file has its name", () => {
  test('everywhere', async () => {
    const commands = new Map<string, unknown>();
    for (const path of tree.keys()) {
      if (!path.startsWith('commands/')) continue;
      const module = (await import(/* @vite-ignore */ `../${path}`)) as { default: unknown };
      commands.set(path, module.default);
    }
    expect(commandsAreCalledAsTheirFiles(commands)).toEqual([]);
  });
  test('and a command that has another name, or none, is a fault', () => {
    const post = { data: { name: 'post' } };
    expect(commandsAreCalledAsTheirFiles(new Map([['commands/post.ts', post]]))).toEqual([]);
    expect(commandsAreCalledAsTheirFiles(new Map([['commands/top.ts', post]]))).toHaveLength(1);
    expect(commandsAreCalledAsTheirFiles(new Map([['commands/top.ts', {}]]))).toHaveLength(1);
    expect(commandsAreCalledAsTheirFiles(new Map([['commands/top.ts', undefined]]))).toHaveLength(
      1,
    );
  });
});
