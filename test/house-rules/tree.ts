import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files by their path from the project's root, with their text. */
export type Tree = ReadonlyMap<string, string>;

/** A rule takes a tree and returns its faults, each a sentence that begins with the file's path. */
export type Rule = (tree: Tree) => string[];

const notOurs = new Set(['node_modules', '.git', 'data', 'coverage']);
const readable = /(\.(ts|lua|md|json|js|css|html|yml|yaml)|^\.env\.example|^\.ci\/run|Dockerfile)$/;

/** The project's own files. */
export function readTree(): Tree {
  const tree = new Map<string, string>();
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder || '.', { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !notOurs.has(entry.name)) walk(path);
      if (entry.isFile() && readable.test(path)) tree.set(path, readFileSync(path, 'utf8'));
    }
  };
  walk('');
  return tree;
}

export function sources(tree: Tree, ...folders: string[]): [path: string, text: string][] {
  return [...tree].filter(
    ([path]) => path.endsWith('.ts') && folders.some((folder) => path.startsWith(`${folder}/`)),
  );
}

/** The lines of a source, numbered from 1, without their comments. */
export function codeLines(text: string): [number: number, line: string][] {
  return text
    .split('\n')
    .map((line, index): [number, string] => [index + 1, line.replace(/(^|\s)\/\/ .*$/, '')])
    .filter(([, line]) => !/^\s*(\/?\*|$)/.test(line));
}
