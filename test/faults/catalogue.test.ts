import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalogue } from './catalogue.ts';

const faults = Object.values(catalogue).flat();

describe('the catalogue of faults', () => {
  test.each(faults)('%s: a test shows it', (_injected, _holds, file, ...names) => {
    const source = readFileSync(`test/${file}.test.ts`, 'utf8');
    expect(names.filter((name) => !source.includes(name))).toEqual([]);
  });

  test('has sixty faults, and docs/reliability.md is made of it', async () => {
    expect(faults.length).toBeGreaterThanOrEqual(60);
    await expect(page()).toMatchFileSnapshot('../../docs/reliability.md');
  });
});

/** Written by `npx vitest run --project all test/faults -u`. */
function page(): string {
  const lists = Object.entries(catalogue).map(([part, lines]) => {
    const items = lines.map(
      ([injected, holds, file]) => `- [${injected}](../test/${file}.test.ts): ${holds}`,
    );
    return `## ${part}\n\n${items.join('\n')}`;
  });
  return `# What Frontpage withstands

Each line is a fault or an attack, with a link to its test, and what holds then.
\`test/faults/catalogue.ts\` makes this page.

Lost events are found by comparing counts: after each gap, every hour, and every five minutes where something happened ([measured](../bench/README.md#convergence)).

${lists.join('\n\n')}
`;
}
