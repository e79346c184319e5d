import { join } from 'node:path';

// npm ci refuses an older Node, but a service may be started by another than npm's.
if (import.meta.dirname === undefined) {
  console.error(`Frontpage needs Node 20.19 or later, and this is ${process.version}.`);
  process.exit(78);
}

/** The project's folder. */
export const project = join(import.meta.dirname, '..');

/** Runs a program in TypeScript. Where a package is missing, says how to install it. */
export async function load(program, install) {
  try {
    await import('./read-typescript.js');
    await import(new URL(`../${program}`, import.meta.url).href);
  } catch (error) {
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(error.code)) throw error;
    console.error(`A package is missing: type  ${install}  in ${project}.`);
    process.exitCode = 78;
  }
}
