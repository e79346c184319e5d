import { basename, dirname } from 'node:path';
import type { Rule } from './tree.ts';

const folders = /^(src|commands|sandbox|test|bench)\//;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Names that say what kind of thing a folder holds, and not what it knows. */
const emptyNames = /^(utils?|libs?|helpers?|common)$/;

export const namesAreKebabCase: Rule = (tree) =>
  [...tree.keys()].flatMap((path) => {
    // What a folder is about is told in a file that everybody looks for by this name.
    if (!folders.test(path) || basename(path) === 'README.md') return [];
    const names = [...dirname(path).split('/'), basename(path).split('.')[0] ?? ''];
    return names.every((name) => kebabCase.test(name)) ? [] : [`${path} is not kebab-case.`];
  });

export const foldersSayWhatTheyKnow: Rule = (tree) =>
  [...tree.keys()].flatMap((path) => {
    const empty = dirname(path)
      .split('/')
      .find((name) => emptyNames.test(name));
    return empty === undefined ? [] : [`${path} is in a folder called ${empty}.`];
  });

/** What the modules of `commands/` export, by their path. */
export function commandsAreCalledAsTheirFiles(commands: ReadonlyMap<string, unknown>): string[] {
  return [...commands].flatMap(([path, command]) => {
    const { data } = (command ?? {}) as { data?: { name?: unknown } };
    // Message commands are called with capitals and spaces.
    const name = typeof data?.name === 'string' ? data.name : '';
    if (name.toLowerCase().replaceAll(' ', '-') === basename(path, '.ts')) return [];
    return [`${path} holds a command called ${String(data?.name)}.`];
  });
}
