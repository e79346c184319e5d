import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';

type Run = { code: unknown; out: string };

function prepare(...names: string[]): Promise<Run> {
  return new Promise((resolve) => {
    const words = [
      '--import',
      './bin/read-typescript.js',
      'sandbox/tour/prepare/prepare.ts',
      ...names,
    ];
    execFile(process.execPath, words, (error, out, complaint) => {
      resolve({ code: error?.code ?? 0, out: out + complaint });
    });
  });
}

test('where there is a Redis server, it is named and nothing is installed', async () => {
  expect(await prepare('redis')).toEqual({
    code: 0,
    out: expect.stringMatching(/^redis is here: \S+ \d+\.\d+\.\d+\n$/) as string,
  });
});

test('a tool that nobody knows is a sentence', async () => {
  expect(await prepare('redsi')).toEqual({
    code: 1,
    out: 'Unknown tool: redsi. Known: redis, chromium.\n',
  });
});
