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
      ([injected, holds, file, name]) =>
        `| ${injected} | ${holds} | [${name.replace(/%[si]/, '…')}](../test/${file}.test.ts) |`,
    );
    return [`## ${part}`, '| fault | what holds | test |', '| --- | --- | --- |', ...rows].join(
      '\n',
    );
  });
  return `# What Frontpage withstands

Each line is a fault that a test injects into the real bot, and what must hold.
This page is made of \`test/faults/catalogue.ts\`; a test fails where they differ.
[What comes back, and how](recovery.md) says what a host does.

An event that the gateway drops is found by its article's counts.
They are compared after each gap, every hour, and every five minutes in the channels in which something happened.
That costs one request for each 100 messages between a channel's open articles, at most one for each open article.
In a channel where every event is dropped, it takes up to an hour.
After a gap, up to two requests more are made for each open article that changed, or that has both 👍 and 👎 of members.
Within a minute all tallies are right for 1 000 open articles in ten channels of which 100 changed, if their counts show it.
A change behind equal counts is found after those, and takes longer where many articles have both reactions: see [the measurements](../bench/README.md#convergence).

${tables.join('\n\n')}
`;
}
