import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { FALSE, isTrue, type Saw, TRUE } from './conditions.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder into which a worker writes what it saw. */
    sawConditions: string;
  }
}

/** By file, then by the place of the condition in it. */
export type Seen = Record<string, Record<number, number>>;

/** One for all files of a worker, since they share their modules. */
const worker = globalThis as typeof globalThis & Partial<Saw> & { seenConditions?: Seen };
worker.seenConditions ??= {};
const seen = worker.seenConditions;
worker.sawCondition ??= (file, index, value, isOfValue) => {
  const ofFile = (seen[file] ??= {});
  ofFile[index] = (ofFile[index] ?? 0) | (isTrue(value, isOfValue) ? TRUE : FALSE);
  return value;
};

afterAll(() => {
  const file = join(inject('sawConditions'), `${process.pid}.json`);
  writeFileSync(file, JSON.stringify(seen));
});
