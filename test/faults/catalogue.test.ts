import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalogue } from './catalogue.ts';

const faults = Object.values(catalogue).flat();

describe('the catalogue of faults', () => {
  test.each(faults)('%s: a test shows it', (_injected, _holds, file, name) => {
    expect(readFileSync(`test/${file}.test.ts`, 'utf8')).toContain(name);
  });

  test('has sixty faults, and docs/reliability.md is made of it', async () => {
    expect(faults.length).toBeGreaterThanOrEqual(60);
    await expect(page()).toMatchFileSnapshot('../../docs/reliability.md');
  });
});

/** Written by `npx vitest run --project all test/faults -u`. */
function page(): string {
  const tables = Object.entries(catalogue).map(([part, lines]) => {
    const rows = lines.map(
      ([injected, holds, file]) => `| [${injected}](../test/${file}.test.ts) | ${holds} |`,
    );
    return [`## ${part}`, '| fault | what holds |', '| --- | --- |', ...rows].join('\n');
  });
  return `# What Frontpage withstands

Each line is a fault that a test injects into the real bot, with a link to the test, and what must hold.
\`test/faults/catalogue.ts\`, of which this page is made, has the tests' names; the tests have more variants.

An event that the gateway drops is found by its article's counts.
They are compared after each gap, every hour, and every five minutes in the channels in which something happened.
[The measurements](../bench/README.md#convergence) say how long that takes.

${tables.join('\n\n')}
`;
}
