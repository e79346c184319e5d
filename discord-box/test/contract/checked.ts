import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    checkedRequests: string;
  }
}

/** Remembers which requests a file of tests has checked, until all have ended. */
export function noteChecked(requests: Iterable<string>): void {
  const lines = [...requests].map((request) => `${request}\n`).join('');
  if (lines !== '') appendFileSync(inject('checkedRequests'), lines);
}

/** The global setup: says at the end how many requests were checked. */
export default function countChecked(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'frontpage-contract-'));
  const file = join(folder, 'requests');
  appendFileSync(file, '');
  project.provide('checkedRequests', file);
  return () => {
    const requests = new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean));
    rmSync(folder, { recursive: true });
    if (requests.size === 0) return;
    const routes = new Set([...requests].map((request) => request.split(' ', 2).join(' ')));
    console.log(
      `Held to Discord's specification: ${requests.size} distinct requests on ${routes.size} routes.`,
    );
  };
}
