import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../../src/runtime/cannot-start.ts';
import { INVITED } from '../../src/discord/access/permissions.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The programs that a person is told to type. */
const PROGRAM =
  /^(npm|npx|node|docker|git|cp|cd|install|chmod|rm|systemctl|systemd-run|journalctl|loginctl|timedatectl|apt|dnf|brew|redis-cli|crontab) /;

/** What documents tell a person to type: the lines of blocks for a shell, and what stands between backquotes. */
function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [
    ...blocks.filter((line) => line.trim() !== ''),
    ...spans.filter((it) => PROGRAM.test(it)),
  ].map((line) => line.replace(/ +# .*$/, '').trim());
}

/** By which test a command is run, as a file and what in it stands for the command. */
const TRIED: [command: RegExp, file: string, inFile: string][] = [
  [/^npm ci( --omit=dev)?( &&|$)/, '.ci/run', 'npm ci'],
  [/^npm (test|run test:(slow|whole|all)|run format|run texts)$/, 'package.json', '"test:all"'],
  [/^npm run sandbox/, 'test/process/bin.slow.test.ts', 'bin/sandbox.js'],
  [/^npm start( >> frontpage\.log)?$/, 'test/process/main.sample.test.ts', 'Frontpage is off'],
  [
    /^HTTPS_PROXY=\S+ NODE_USE_ENV_PROXY=1 npm start$/,
    'test/process/proxy.slow.test.ts',
    'HTTPS_PROXY',
  ],
  [/^npm start -- check$/, 'test/process/check.test.ts', "'src/check.ts'"],
  [/^node bin\/frontpage\.js --version$/, 'test/process/bin.slow.test.ts', "'--version'"],
  [
    /^node bin\/frontpage\.js (backup|restore)/,
    'test/backup/cli/backup.slow.test.ts',
    'bin/frontpage.js',
  ],
  [
    /^node --env-file=\/etc\/frontpage\.env /,
    'test/house/unit.slow.test.ts',
    "frontpage('restore'",
  ],
  [/^npm run try/, 'test/drills/real-discord/try-frontpage.test.ts', 'tryFrontpage'],
  [/^npx vitest run --project all test\//, 'package.json', 'vitest run --project all'],
];

/** What no test runs, and why. */
const NOT_TRIED: [command: RegExp, why: string][] = [
  [
    /^docker /,
    'no machine of the tests has a Docker daemon; what the image holds is started without one',
  ],
  [/^(git pull && )?docker compose /, 'likewise'],
  [
    /^(systemctl|systemd-run|journalctl|loginctl) /,
    'no machine of the tests runs systemd; the command of the unit is run under its restrictions',
  ],
  [/^timedatectl /, 'it sets the clock of the machine'],
  [/^(apt|dnf|brew) /, 'they install programs on the machine'],
  [/^(cd|cp|chmod|install|rm) /, 'they copy and delete files of the machine'],
  [/^git (clone|pull|checkout)/, 'the tests have no address to pull from'],
  [/^redis-cli /, 'it empties a Redis of a host'],
  [
    /^npm run (bench|conditions|mutants|soak|pictures)/,
    'they take from minutes to hours, and are run by hand',
  ],
  [/^node --import/, 'it names an option'],
  [/^npx tsx bench\//, 'measurements are run by hand'],
];

test.each(documents)('every command of %s is run by a test, or it is said why not', (path) => {
  const unknown = commandsIn(read(path)).filter(
    (command) =>
      !TRIED.some(([pattern]) => pattern.test(command)) &&
      !NOT_TRIED.some(([pattern]) => pattern.test(command)),
  );
  expect(unknown).toEqual([]);
});

test('every test that is said to run a command of a document is there, and some document has the command', () => {
  const commands = documents.flatMap((path) => commandsIn(read(path)));
  for (const [pattern, file, inFile] of TRIED) {
    expect([file, existsSync(file)]).toEqual([file, true]);
    expect(read(file)).toContain(inFile);
    expect([pattern, commands.some((command) => pattern.test(command))]).toEqual([pattern, true]);
  }
});

test('the documents name every exit code, and every permission that the invite asks for', () => {
  const rows = [...read('docs/troubleshooting.md').matchAll(/^\| (\d+) \| .+ \|$/gm)];
  expect(rows.map(([, code]) => Number(code))).toEqual([0, ...Object.values(exitCodes)]);
  const [, table = ''] =
    /The link asks for these permissions:\n\n([^]*?)\n\n/.exec(read('docs/hosting.md')) ?? [];
  const named = [...table.matchAll(/^\| ([A-Z][^|]+) \|/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  // As Discord's client calls them.
  const called = INVITED.map((name) =>
    name === 'ViewChannel'
      ? 'View Channels'
      : name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').replace(' In ', ' in '),
  );
  expect(named.sort()).toEqual(called.sort());
});

test('Compose with a Redis of your own starts the bot alone, with the address of .env', () => {
  const text = read('packaging/compose.own-redis.yaml').replaceAll('!reset', '');
  expect(parse(text)).toMatchObject({
    services: {
      bot: { environment: { REDIS_URL: expect.stringContaining('${REDIS_URL:?') }, depends_on: [] },
      valkey: null,
    },
  });
  const { services } = parse(read('compose.yaml')) as { services: Record<string, unknown> };
  expect(Object.keys(services)).toEqual(['bot', 'valkey']);
});
