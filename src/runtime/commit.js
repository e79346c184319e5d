// The commit of this Frontpage, twelve digits, or nothing where nobody knows it. An image has it in the file `commit`,
// which its build writes with `node src/runtime/commit.js > commit`; a clone in `.git`, which is read here, since a
// service may not run git in a folder that another user owns.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The commit that the folder of a project is of; null if it is no clone, and nothing was written. */
export function commitOf(folder) {
  const found = read(join(folder, 'commit')) ?? headOf(folder);
  return /^[\da-f]{40,64}$/.test(found ?? '') ? found.slice(0, 12) : null;
}

function headOf(folder) {
  // In a second work tree, .git is a file that names the folder.
  const link = /^gitdir: (.+)$/.exec(read(join(folder, '.git')) ?? '')?.[1];
  const own = resolve(folder, link ?? '.git');
  const common = resolve(own, read(join(own, 'commondir')) ?? '.');
  const head = read(join(own, 'HEAD'));
  const name = /^ref: (.+)$/.exec(head ?? '')?.[1];
  if (name === undefined) return head;
  const packed = read(join(common, 'packed-refs'))?.split('\n') ?? [];
  const line = packed.find((one) => one.endsWith(` ${name}`));
  return read(join(own, name)) ?? read(join(common, name)) ?? line?.split(' ')[0] ?? null;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(headOf(resolve(import.meta.dirname, '../..')) ?? '');
}
