import { codeLines, type Rule, sources, type Tree } from './tree.ts';

function linesLike(
  tree: Tree,
  folders: string[],
  pattern: RegExp,
  exempt: readonly string[],
  sentence: string,
): string[] {
  return sources(tree, ...folders)
    .filter(([path]) => !exempt.includes(path))
    .flatMap(([path, text]) =>
      codeLines(text)
        .filter(([, line]) => pattern.test(line))
        .map(([number]) => `${path}:${number} ${sentence}`),
    );
}

export const onlyConfigReadsTheEnvironment: Rule = (tree) =>
  linesLike(
    tree,
    ['src', 'commands'],
    /\bprocess\s*(\??\.\s*env\b|\??\.?\[\s*['"]env)|\benv\b[^=]*\}\s*=\s*process\b|\bloadEnvFile\b|from 'node:process'/,
    ['src/config.ts'],
    'reads the environment, which only src/config.ts does.',
  );

export const onlyTheClockKnowsTheTime: Rule = (tree) =>
  linesLike(
    tree,
    ['src', 'commands', 'sandbox'],
    /\bDate\s*\.\s*now\b|\bnew Date(\(\s*\)|\s*[;,)])|\bTemporal\.Now\b/,
    ['src/clock.ts', 'sandbox/discord/world/clock.ts'],
    'asks the system for the time, which only src/clock.ts does.',
  );

/** A workspace is `resolved` too, to its folder. */
export const theLockNamesNoRegistry: Rule = (tree) =>
  /"resolved"\s*:\s*"[^"]*:|https?:\/\/registry\./.test(tree.get('package-lock.json') ?? '')
    ? ['package-lock.json names the registry that somebody installed from.']
    : [];

type Lock = { packages?: Record<string, { optionalDependencies?: Record<string, string> }> };

/** npm leaves out what its registry did not have, and then refuses its own lock in `npm ci`. */
export const theLockHoldsEveryPlatform: Rule = (tree) => {
  const { packages = {} } = JSON.parse(tree.get('package-lock.json') ?? '{}') as Lock;
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !(`node_modules/${name}` in packages))
      .filter((name) => !(`${path}/node_modules/${name}` in packages))
      .map((name) => `package-lock.json lacks ${name}, which ${path} has for some platform.`),
  );
};

const documents = /\.md$|^\.env\.example$|^\.ci\/run$|^package\.json$/;

export const documentsNameNoMachine: Rule = (tree) =>
  [...tree].flatMap(([path, text]) => {
    if (!documents.test(path)) return [];
    const found = /(^|[\s("'`=])(\/(work|home|root|Users)\/|[A-Z]:\\Users)/m.exec(text);
    return found === null ? [] : [`${path} names a path of somebody's machine.`];
  });
