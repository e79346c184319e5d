import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** The parts of docs/reliability.md, in its order. */
const PARTS = [
  'Redis, while the bot runs',
  'Damaged data',
  'The private server',
  'The gateway',
  'Requests to Discord',
  'Time',
  'Processes that die',
  'Starts that fail, with one sentence',
  'Attacks',
];

/** A fault, or an attack, that a test injects, and what holds then. */
type Fault = { part: string; injected: string; holds: string; path: string };

/**
 * A test says above itself what it shows, in two lines of comment: `Withstands (<part>): <what is injected>`
 * and `→ <what holds>`.
 */
function faultsOf(path: string): Fault[] {
  const source = readFileSync(path, 'utf8');
  const tag = /^ *\/\/ Withstands \((.+?)\): (.+)\n *\/\/ → (.+)\n(?=(.*))/gm;
  return [...source.matchAll(tag)].map(([, part = '', injected = '', holds = '', next = '']) => {
    if (!/^ *(test|describe|\/\/ Withstands)\b/.test(next)) {
      throw new Error(`${path}: no test stands below “${injected}”.`);
    }
    return { part, injected, holds, path };
  });
}

const faults = ['test', 'discord-box/test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .toSorted()
    .flatMap((path) => faultsOf(`${folder}/${path}`)),
);

describe('the faults and attacks that tests say they show', () => {
  test('the faults and attacks that tests say they show are sixty at least, each told once and in a part of the page', () => {
    expect(faults.length).toBeGreaterThanOrEqual(60);
    expect(faults.filter(({ part }) => !PARTS.includes(part))).toEqual([]);
    expect(new Set(faults.map(({ injected }) => injected)).size).toBe(faults.length);
  });

  test('docs/reliability.md has what the tests say that they withstand', async () => {
    await expect(page()).toMatchFileSnapshot('../../docs/reliability.md');
  });
});

/** Written by `npx vitest run --project all test/faults -u`. */
function page(): string {
  const lists = PARTS.map((name) => {
    const items = faults
      .filter(({ part }) => part === name)
      .map(({ injected, holds, path }) => `- [${injected}](../${path}): ${holds}`);
    return `## ${name}\n\n${items.join('\n')}`;
  });
  return `# What Frontpage withstands

Each line is a fault or an attack, with a link to its test, and what holds then.
The tests say it above themselves (\`Withstands\`), and this page is made of that.

Lost events are found by comparing counts: after each gap, every hour, and every five minutes where something happened ([measured](../bench/README.md#convergence)).

Editions and announcements are searched for one that comes twice or never ([how](../test/digests/search/simulation.ts)): the real functions, one to three processes, and 21 things that can happen at a step, such as a death, a lost answer or a pause.
With each of them at each step of two processes, and up to four of them in 3 600 schedules by chance, the one exception below was found, and no other. \`SEARCH_RUNS=5000 SEARCH_SEED=7 npx vitest run --project all test/digests/search\` searches further.

${lists.join('\n\n')}
`;
}
