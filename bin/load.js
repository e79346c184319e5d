import { join } from 'node:path';

// npm ci refuses another Node (package.json, engines), but a service may be started by another than npm's.
if (!canRun(process.versions.node)) {
  console.error(
    `Frontpage needs Node 20.19, 22.18 or 24, or a later one of these, and this is ${process.version}.`,
  );
  process.exit(78);
}

/** Whether this Node is one that the checks run on, or a later one. */
export function canRun(version) {
  const [major, minor] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 18) || (major === 20 && minor >= 19);
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
