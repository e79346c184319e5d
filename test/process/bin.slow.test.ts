import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../src/runtime/version.ts';
import { sample } from '../fixtures/sample.ts';

const commands = ['start', 'check', 'backup', 'restore', 'forget'];

type Ended = { code: number; stdout: string; stderr: string };

function frontpage(
  words: string[],
  more: Record<string, string> = {},
  bin = 'bin/frontpage.js',
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], ...more };
    execFile(process.execPath, [bin, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test.each(sample(['backup --version', '--version', '-v', 'start --version', 'forget -v'], 1))(
  '%s says which Frontpage it is, and nothing else',
  async (words) => {
    expect(await frontpage(words.split(' '))).toEqual({
      code: 0,
      stdout: `Frontpage ${build}\n`,
      stderr: '',
    });
  },
);

test('--help names every command', async () => {
  const { code, stdout } = await frontpage(['--help']);
  expect(code).toBe(0);
  for (const command of commands) expect(stdout).toContain(`\n  ${command} `);
});

test('start --help tells where the settings are', async () => {
  expect((await frontpage(['start', '--help'])).stdout).toContain('.env.example explains them');
});

test.each(sample(commands.slice(2), 1))(
  '%s --help says how it is used, without any settings',
  async (command) => {
    const { code, stdout, stderr } = await frontpage([command, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: node bin/frontpage.js ${command} `);
  },
);

test('an unknown command is refused with the help', async () => {
  const { code, stderr } = await frontpage(['bakcup']);
  expect(code).toBe(64);
  expect(stderr).toContain('no command bakcup');
  expect(stderr).toContain('\n  backup ');
});

test.each([
  ['the bot', 'frontpage.js', 'npm ci --omit=dev'],
  ['the sandbox', 'sandbox.js', 'npm ci'],
])('%s says how to install packages that are missing', async (_, program, install) => {
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-bin-'));
  await cp('bin', join(folder, 'bin'), { recursive: true });
  await cp('src/runtime', join(folder, 'src/runtime'), { recursive: true });
  await cp('package.json', join(folder, 'package.json'));
  const { code, stderr } = await frontpage([], {}, join(folder, 'bin', program));
  await rm(folder, { recursive: true });
  expect(code).toBe(78);
  expect(stderr).toBe(`A package is missing: type  ${install}  in ${folder}.\n`);
});

test('a word too many does not start the bot', async () => {
  const { code, stderr } = await frontpage(['start', 'extra']);
  expect(code).toBe(64);
  expect(stderr).toContain('start takes no extra');
});

test.each(
  sample(
    [
      ['forget 12', '12 is not an id. '],
      ['forget general', 'general is not an id. '],
      ['backup --guild 12', '12 is not an id. '],
      ['restore a-file --guild 12', '12 is not an id. '],
      ['forget 111111111111111111 more', 'Usage: '],
      ['restore --dry', "Unknown option '--dry'"],
    ],
    1,
  ),
)('%s is refused with the usage, before any setting is read', async (words, reason) => {
  const { code, stderr } = await frontpage(words.split(' '), { LOG_LEVEL: 'loud' });
  expect([code, stderr]).toEqual([64, expect.stringContaining('Usage: node bin/frontpage.js')]);
  expect(stderr).toMatch(new RegExp(`^${reason}`));
});

test.each(
  sample(
    [
      ['--nonsense', "Unknown option '--nonsense'"],
      ['--port=abc', 'abc is not a port.'],
    ],
    1,
  ),
)('the sandbox refuses %s with its usage', async (option, reason) => {
  const { code, stderr } = await frontpage([option], {}, 'bin/sandbox.js');
  expect([code, stderr]).toEqual([64, expect.stringContaining('npm run sandbox -- [options]')]);
  expect(stderr).toContain(reason);
});

test('the folder of the project may have any name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'frontpage #1 50%20 '));
  for (const name of ['bin', 'src', 'commands', 'package.json']) {
    await cp(name, join(folder, name), { recursive: true });
  }
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const { code, stderr } = await frontpage([], {}, join(folder, 'bin/frontpage.js'));
  await rm(folder, { recursive: true });
  expect([code, stderr]).toEqual([78, expect.stringContaining('DISCORD_TOKEN is missing')]);
});

test('check is a program that ends by itself, with lines and a code', async () => {
  const { code, stdout, stderr } = await frontpage(['check']);
  expect([code, stderr]).toEqual([78, '']);
  expect(stdout).toMatch(/^✗ Settings: DISCORD_TOKEN is missing/);
});
