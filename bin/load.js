import { join } from 'node:path';

/** The project's folder. */
export const project = join(import.meta.dirname, '..');

/** Runs a program in TypeScript. Where a package is missing, says how to install it. */
export async function load(program, install) {
  try {
    await import('./read-typescript.js');
    await import(join(project, program));
  } catch (error) {
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(error.code)) throw error;
    console.error(`A package is missing: type  ${install}  in ${project}.`);
    process.exitCode = 78;
  }
}
