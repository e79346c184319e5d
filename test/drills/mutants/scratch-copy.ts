import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

/** The working tree once more, in a folder of its own. */
export interface Copy {
  folder: string;
  remove(): Promise<void>;
}

/** With what is not committed yet. The packages are those of the working tree. */
export async function openCopy(): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-mutants-'));
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { force: true });
  }
  const packages = join(root, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(packages)) {
    // Vitest keeps its own results beside them.
    if (name.startsWith('.vite')) continue;
    const workspace = { 'discord-in-a-box': 'discord-box', 'frontpage-sandbox': 'sandbox' }[name];
    const target = workspace ? join(folder, workspace) : join(packages, name);
    symlinkSync(target, join(folder, 'node_modules', name));
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
