import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Condition, conditionsOf, FALSE, TRUE } from './conditions.ts';
import type { Seen } from './record.ts';

const usage = `npm run conditions -- [word …]

Runs the quick tests once and counts, by room, the conditions that were the same in all of them: no test notices
a mistake that makes such a condition always so. Words choose rooms or files, and list what is there.
Conditions that only other processes reach, those that a test starts, count as never looked at.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log(usage);
  process.exit();
}

const root = join(import.meta.dirname, '../../..');

/** What all workers saw, together. */
async function runTests(): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'frontpage-conditions-'));
  const config = join(import.meta.dirname, 'vitest.config.ts');
  try {
    const vitest = join(root, 'node_modules/.bin/vitest');
    const run = spawn(vitest, ['run', '--config', config, '--reporter', 'dot'], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, SAW_CONDITIONS: folder },
    });
    await once(run, 'exit');
    const all: Seen = {};
    for (const name of readdirSync(folder)) {
      const seen = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Seen;
      for (const [file, ofFile] of Object.entries(seen)) {
        const together = (all[file] ??= {});
        for (const [index, was] of Object.entries(ofFile)) {
          together[Number(index)] = (together[Number(index)] ?? 0) | was;
        }
      }
    }
    return all;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function said(was: number | undefined, { isOfValue }: Condition): string | null {
  if (was === (TRUE | FALSE)) return null;
  if (was === TRUE) return isOfValue ? 'never without a value' : 'always true';
  if (was === FALSE) return isOfValue ? 'never with a value' : 'always false';
  return 'never looked at';
}

const roomOf = (file: string) =>
  file.startsWith('src/') ? (file.split('/')[1] ?? '') : 'commands';
const isChosen = (file: string) =>
  positionals.some((word) => roomOf(file) === word || file.includes(word));

const seen = await runTests();
const rooms = new Map<string, { all: number; same: number }>();
const lines: string[] = [];
for (const folder of ['src', 'commands']) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((name) => name.endsWith('.ts')).toSorted()) {
    const file = `${folder}/${name}`;
    const room = rooms.get(roomOf(file)) ?? { all: 0, same: 0 };
    rooms.set(roomOf(file), room);
    for (const [index, condition] of conditionsOf(
      readFileSync(join(root, file), 'utf8'),
    ).entries()) {
      room.all += 1;
      const what = said(seen[file]?.[index], condition);
      if (what === null) continue;
      room.same += 1;
      const text = condition.text.replaceAll(/\s+/g, ' ').slice(0, 100);
      if (isChosen(file)) lines.push(`${file}:${condition.line} ${what}: ${text}`);
    }
  }
}
if (lines.length > 0) console.log(`\n${lines.join('\n')}`);
console.log('\nConditions, and those that were always the same:');
for (const [room, { all, same }] of [...rooms].toSorted(([a], [b]) => a.localeCompare(b))) {
  const share = Math.round((100 * same) / Math.max(1, all));
  console.log(
    `${room.padEnd(14)} ${String(all).padStart(5)} ${String(same).padStart(5)} (${share} %)`,
  );
}
