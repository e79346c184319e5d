import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Mutant } from './mutants.ts';
import { type Copy, root } from './scratch-copy.ts';

export type Verdict = {
  /** `timed out`: nothing was red, and the tests did not end. */
  status: 'killed' | 'survived' | 'timed out';
  /** The test that noticed. */
  by: string | null;
};

/** A mutant is one place of its file. */
export function notFound({ file, from }: Mutant): boolean {
  return readFileSync(join(root, file), 'utf8').split(from).length !== 2;
}

/** Makes the mistake in a copy. The function that it returns takes it back. */
export function apply({ folder }: Copy, { file, from, to }: Mutant): () => void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return () => writeFileSync(path, text);
}

/** The quick tests of a room take a minute at most on two busy cores. */
const LONGEST_MS = 240_000;

/** What a mistake keeps from coming is not waited for as long as what a busy machine delays. */
const PATIENCE_MS = 20_000;

/** Runs quick tests in a copy until one of them is red. */
export async function tryMutant(
  { folder }: Copy,
  tests: readonly string[],
  stopping: AbortSignal,
  longestMs = LONGEST_MS,
): Promise<Verdict> {
  const report = join(folder, 'mutant.json');
  rmSync(report, { force: true });
  const reporter = ['--reporter=json', `--outputFile=${report}`];
  const options = ['--project', 'all', '--bail', '1', '--maxWorkers', '1', ...reporter];
  const command = ['run', ...options, ...tests];
  const run = spawn(join(folder, 'node_modules/.bin/vitest'), command, {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, TEST_PATIENCE_MS: String(PATIENCE_MS) },
  });
  const end = () => {
    // Its workers, too.
    if (run.pid !== undefined && run.exitCode === null) process.kill(-run.pid, 'SIGTERM');
  };
  const timer = setTimeout(end, longestMs);
  stopping.addEventListener('abort', end);
  const [code] = (await once(run, 'exit')) as [number | null];
  clearTimeout(timer);
  stopping.removeEventListener('abort', end);
  if (code === 0) return { status: 'survived', by: null };
  if (code === null) return { status: 'timed out', by: null };
  return { status: 'killed', by: redIn(report) };
}

const zReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({ status: z.string(), title: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

/** Throws if no test ran: a mutant that is no program is none. */
function redIn(report: string): string {
  const { testResults } = zReport.parse(JSON.parse(readFileSync(report, 'utf8')));
  for (const { name, status, message, assertionResults } of testResults) {
    const red = assertionResults.find((one) => one.status === 'failed');
    const [why = ''] = (red?.failureMessages[0] ?? '').split('\n');
    if (red) return `${red.title} (${why.slice(0, 200)})`;
    if (status === 'failed') return `${name}: ${message.split('\n')[0]}`;
  }
  throw new Error(`No test is red, and yet the run failed: ${report}`);
}
