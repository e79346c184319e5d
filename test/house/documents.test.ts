import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { version } from '../../src/runtime/version.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const filesIn = (folder: string, end: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));
const documents = ['.', 'docs', 'bench', 'discord-box'].flatMap((it) => filesIn(it, '.md'));
const forms = ['', 'workflows', 'ISSUE_TEMPLATE'].flatMap((it) =>
  filesIn(join('.github', it), '.yml'),
);

/** The address that a heading has on the repository's page. */
function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, '');
  return words.trim().replaceAll(' ', '-');
}

test.each(documents)('every link of %s leads somewhere', (path) => {
  const broken = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(
    ([, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(target)) return true;
      const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
      return anchor !== undefined && !headings.some((heading) => anchorOf(heading) === anchor);
    },
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

test.each(documents)('every file that %s names is there', (path) => {
  const named = read(path).matchAll(
    /`((?:src|test|commands|docs|bench|packaging|bin|discord-box)\/[\w./-]+)`/g,
  );
  // A document of a workspace names the files of its own folder.
  const isThere = (file: string) => existsSync(file) || existsSync(join(dirname(path), file));
  expect([...named].map(([, file = '']) => file).filter((file) => !isThere(file))).toEqual([]);
});

test('package.json, the documents and the programs name the same versions of Node', async () => {
  const program = new URL('../../bin/load.js', import.meta.url).href;
  const { canRun } = (await import(program)) as { canRun: (version: string) => boolean };
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  expect(engines.node).toBe('20 >=20.19 || 22 >=22.18 || >=24');
  const box = JSON.parse(read('discord-box/package.json')) as { engines: { node: string } };
  expect(box.engines).toEqual(engines);
  expect(read('docs/hosting.md')).toMatch(/Node \| 24 or 26; 22 from 22\.18 on; 20 from 20\.19 on/);
  expect(read('README.md')).toContain('Node 24 or 26 (22 from 22.18 on, or 20 from 20.19 on)');
  expect(read('bin/load.js')).toContain('Node 20.19, 22.18 or 24');
  const fit = ['20.19.0', '20.20.2', '22.18.0', '24.0.0', '26.1.0'];
  expect(fit.filter((version) => canRun(version))).toEqual(fit);
  expect(
    ['18.20.8', '20.18.3', '21.7.3', '22.17.1', '23.11.0'].filter((version) => canRun(version)),
  ).toEqual([]);
});

test('CHANGELOG.md has the notes of the version that package.json names', () => {
  const notes = spawnSync('.ci/release-notes', [version], { encoding: 'utf8' });
  expect([notes.status, notes.stderr]).toEqual([0, '']);
  expect(notes.stdout).toContain('\n- ');
  expect(notes.stdout).not.toContain('\n## ');
  // What a clone is of is pulled where it is published and built otherwise, so a version that was released has no more changes.
  const [newest, ...others] = [...read('CHANGELOG.md').matchAll(/^## (\S+) \((.+)\)\n\n(.*)$/gm)];
  expect(newest?.slice(1, 3)).toEqual([
    version,
    expect.stringMatching(/^(not released yet|20\d\d-\d\d-\d\d)$/),
  ]);
  for (const [, , date = ''] of others) expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
  const sections = read('CHANGELOG.md').match(/^## /gm) ?? [];
  expect(sections).toHaveLength(1 + others.length);
  for (const [, , , first] of [newest!, ...others]) expect(first).toMatch(/^\*For hosts:\* /);
  expect(spawnSync('.ci/release-notes', ['9.9.9']).status).toBe(1);
});

test('compose runs the published image of this version, which a tag makes for two platforms', () => {
  const { services } = parse(read('compose.yaml')) as { services: { bot: { image: string } } };
  expect(services.bot.image).toContain(`:\${FRONTPAGE_VERSION:-${version}}`);
  const workflow = read('.github/workflows/release.yml');
  expect(parse(workflow)).toMatchObject({ on: { push: { tags: ['v*'] } } });
  for (const part of ['linux/amd64,linux/arm64', '--provenance=mode=max', '--sbom=true']) {
    expect(workflow).toContain(part);
  }
});

test.each([
  ['the repository that compose.yaml names', 'Frontpage-Bot/frontpage', version, ''],
  ['a fork that left the name as it was', 'a/fork', version, 'image: ghcr.io/a/fork:'],
  ['another version', 'frontpage-bot/frontpage', '9.9.9', `names version ${version}`],
  ['a changelog without its date', 'frontpage-bot/frontpage', version, 'no date'],
])('a release is published under the name in compose.yaml: %s', (_, repository, tag, refusal) => {
  type Step = { name?: string; run?: string };
  type Release = { jobs: { publish: { steps: Step[] } } };
  const { jobs } = parse(read('.github/workflows/release.yml')) as Release;
  const step = jobs.publish.steps.find(({ name }) => name?.startsWith('Compare the tag'));
  const folder = mkdtempSync(join(tmpdir(), 'frontpage-release-'));
  try {
    for (const file of ['.ci', 'package.json', 'CHANGELOG.md', 'compose.yaml']) {
      cpSync(file, join(folder, file), { recursive: true });
    }
    const date = refusal === 'no date' ? '(not released yet)' : '(2026-12-01)';
    const changes = read('CHANGELOG.md').replace(/(?<=^## \S+ )\(.+\)$/m, date);
    writeFileSync(join(folder, 'CHANGELOG.md'), changes);
    writeFileSync(join(folder, 'environment'), '');
    const { status, stdout } = spawnSync('bash', ['-e', '-c', step?.run ?? ''], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        GITHUB_REPOSITORY: repository,
        GITHUB_ENV: join(folder, 'environment'),
        TAG: `v${tag}`,
      },
    });
    expect([status, stdout]).toEqual([refusal === '' ? 0 : 1, expect.stringContaining(refusal)]);
    const named = refusal === '' ? 'IMAGE=ghcr.io/frontpage-bot/frontpage\n' : '';
    expect(read(join(folder, 'environment'))).toBe(named);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(forms)('the document %s is well-formed', (path) => {
  expect(parse(read(path))).toBeTypeOf('object');
});
