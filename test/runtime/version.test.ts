import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commitOf } from '../../src/runtime/commit.js';

const folder = mkdtempSync(join(tmpdir(), 'frontpage-version-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(40));

/** A folder with these files, as git writes them. */
function projectOf(name: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  return join(folder, name);
}

const packed = `# pack-refs with: peeled fully-peeled sorted\n${one} refs/heads/main\n${two} refs/tags/v1\n^${three}`;
const onMain = { '.git/HEAD': 'ref: refs/heads/main' };

test.each<[string, Record<string, string>, string | null]>([
  ['a branch', { ...onMain, '.git/refs/heads/main': two!, '.git/packed-refs': packed }, '2'],
  ['a branch that git has packed', { ...onMain, '.git/packed-refs': packed }, '1'],
  ['a tag that was checked out', { '.git/HEAD': two! }, '2'],
  ['what the build of an image wrote', { commit: three!, '.git/HEAD': two! }, '3'],
  ['a clone without a commit', onMain, null],
  ['no clone', { 'package.json': '{}' }, null],
  ['an image that was built from no clone', { commit: '' }, null],
])('the commit of a project is known by %s, or is not', (name, files, digit) => {
  expect(commitOf(projectOf(name, files))).toBe(digit?.repeat(12) ?? null);
});

test('the commit of a second work tree is known by the clone that it belongs to', () => {
  projectOf('clone', { ...onMain, '.git/refs/heads/other': two!, '.git/refs/heads/main': one! });
  projectOf('clone/.git/worktrees/tree', { HEAD: 'ref: refs/heads/other', commondir: '../..' });
  const tree = projectOf('tree', {
    '.git': `gitdir: ${join(folder, 'clone/.git/worktrees/tree')}`,
  });
  expect(commitOf(tree)).toBe('2'.repeat(12));
});
