import { posix } from 'node:path';
import { type Rule, sources, type Tree } from './tree.ts';

/** A part of the house, and what it may import besides itself. */
const directions: Record<string, readonly string[]> = {
  leaf: [],
  text: ['leaf'],
  voting: ['leaf'],
  store: ['leaf', 'voting'],
  web: ['leaf', 'voting', 'store', 'text'],
  discord: ['leaf', 'voting', 'store', 'text'],
  digest: ['leaf', 'discord', 'voting', 'store', 'text'],
  recount: ['leaf', 'discord', 'voting', 'store', 'text'],
  commands: ['leaf', 'discord', 'digest', 'recount', 'voting', 'store', 'text'],
  // How a setting is written is known where it is used.
  config: ['store'],
  main: ['leaf', 'config', 'web', 'discord', 'digest', 'recount', 'voting', 'store', 'text'],
  // The other composition roots, for work by hand, and what they begin and end with.
  'command-line': ['leaf', 'config', 'store'],
  rebuild: ['command-line', 'discord', 'recount', 'voting'],
  backup: ['command-line', 'store'],
  forget: ['command-line', 'discord', 'voting'],
  'guild-file': ['command-line', 'discord', 'store', 'text', 'voting'],
  sandbox: ['leaf'],
};

/**
 * The sandbox looks for a Redis server as the bot does; and one file of it looks into the bot's own,
 * to show what the bot itself would read there.
 */
const exceptions = new Set([
  'sandbox > src/redis/private-server/server.ts',
  'sandbox/tour/redis-view.ts > src/redis/keys.ts',
  'sandbox/tour/redis-view.ts > src/redis/connection.ts',
  'sandbox/tour/redis-view.ts > src/ranking/articles/articles.ts',
  'sandbox/tour/redis-view.ts > src/ranking/keys.ts',
  'sandbox/tour/redis-view.ts > src/ranking/ranking.ts',
]);

/** The parts that may import a package; a package that is not here may be imported by all. */
const packages: { name: RegExp; parts: readonly string[] }[] = [
  { name: /^ioredis$/, parts: ['voting', 'store', 'main'] },
  {
    name: /^(discord\.js|@discordjs\/.*)$/,
    parts: ['discord', 'digest', 'recount', 'commands', 'main'],
  },
];

/** Undefined for tests and measurements, which may import anything. */
function partOf(path: string): string | undefined {
  if (/^src\/(clock|log|signals)\.ts$/.test(path)) return 'leaf';
  const [top, second] = path.split('/');
  if (top === 'commands' || top === 'sandbox') return top;
  return top === 'src' ? second?.replace(/\.ts$/, '') : undefined;
}

type Import = { from: string; to: string; typeOnly: boolean };

function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const forms =
    /^\s*(?:import|export)(\s+type)?\s[^;'"]*?from\s*['"]([^'"]+)['"]|^\s*import()\s*['"]([^'"]+)['"]|\bimport()\(\s*['"`]([^'"`]+)/gm;
  for (const [, first, a, second, b, third, c] of text.matchAll(forms)) {
    const target = a ?? b ?? c ?? '';
    const relative = target.startsWith('.');
    found.push({
      from: path,
      to: relative ? posix.join(posix.dirname(path), target) : target,
      typeOnly: (first ?? second ?? third ?? '') !== '',
    });
  }
  return found;
}

function allImports(tree: Tree): Import[] {
  return sources(tree, 'src', 'commands', 'sandbox').flatMap(([path, text]) =>
    importsOf(path, text),
  );
}

/** Where a package's name ends in an import such as `@scope/name/folder/file.js`. */
function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

const isLocal = (target: string) => /^(src|commands|sandbox|test|bench)\//.test(target);

export const importsGoOneWay: Rule = (tree) =>
  allImports(tree).flatMap(({ from, to }) => {
    const [importer, imported] = [partOf(from), partOf(to)];
    if (importer === undefined || !isLocal(to)) return [];
    const allowed = directions[importer];
    if (allowed === undefined) return [`${from} is in no known part of the house.`];
    if (imported === importer && importer !== 'commands') return [];
    if (imported !== undefined && allowed.includes(imported)) return [];
    if (exceptions.has(`${importer} > ${to}`) || exceptions.has(`${from} > ${to}`)) return [];
    return [`${from} imports ${to}, and ${importer} may not.`];
  });

export const packagesStayInTheirPart: Rule = (tree) =>
  allImports(tree).flatMap(({ from, to }) => {
    const part = partOf(from) ?? '';
    const fence = packages.find(({ name }) => name.test(packageOf(to)));
    if (fence === undefined || fence.parts.includes(part)) return [];
    return [`${from} imports ${to}, and ${part} may not.`];
  });

/** `npm ci --omit=dev && npm start` has nothing else. Types are gone by then. */
export const theBotNeedsNoDevelopmentPackage: Rule = (tree) => {
  const manifest = JSON.parse(tree.get('package.json') ?? '{}') as {
    dependencies?: Record<string, string>;
    /** Who imports these does without where they are not installed. */
    optionalDependencies?: Record<string, string>;
  };
  const present = { ...manifest.dependencies, ...manifest.optionalDependencies };
  return allImports(tree).flatMap(({ from, to, typeOnly }) => {
    if (from.startsWith('sandbox/') || isLocal(to) || typeOnly || to.startsWith('node:')) return [];
    if (packageOf(to) in present) return [];
    return [`${from} imports ${to}, which is not among the dependencies in package.json.`];
  });
};
