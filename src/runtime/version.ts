import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commitOf } from './commit.js';

const project = fileURLToPath(new URL('../..', import.meta.url));

export const { version } = JSON.parse(readFileSync(`${project}/package.json`, 'utf8')) as {
  version: string;
};

/** Twelve digits; null where the project is neither a clone nor an image. */
export const commit = commitOf(project);

/** The version with its commit, for a person, such as `0.1.0 (a1b2c3d4e5f6)`. */
export const build = commit === null ? version : `${version} (${commit})`;
