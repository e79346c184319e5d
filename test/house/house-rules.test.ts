import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const filesOf = (...folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );

/** Keys and arguments by their slot: `KEYS[2]`, or `ARGV[5..]` for all from the fifth on. */
type Names = Map<string, string>;

function documentedIn(header: string[]): Names {
  const names: Names = new Map();
  for (const line of header) {
    const [, slot, name] = /^-- ((?:KEYS|ARGV)\[\d+(?:\.\.)?\])\s+(\w+)/.exec(line) ?? [];
    if (slot !== undefined && name !== undefined) names.set(slot, name);
  }
  return names;
}

/** `local a, b = KEYS[1], { c = tonumber(ARGV[1]) }, { unpack(ARGV, 2) }`; `ARGV` alone is `ARGV[1..]`. */
function namedIn(line: string): [slot: string, name: string | undefined][] {
  const [, left = '', right = line] = /^local (.*?) = (.*)$/.exec(line) ?? [];
  const names = left.split(', ');
  const outsideBrackets = /, (?![^({]*[)}])/;
  const mention = /(?:(\w+) = )?(?:tonumber\()?\b(KEYS|ARGV)\b(?:\[(\d+)\]|, (\d+))?/g;
  return right
    .split(outsideBrackets)
    .flatMap((value, index) =>
      [...value.matchAll(mention)].map(
        ([, field, table, number, tail]): [string, string | undefined] => [
          `${table}[${number ?? `${tail ?? 1}..`}]`,
          field ?? names[index],
        ],
      ),
    );
}

/** The differences between what a script's header documents and what its body names. */
function headerFaults(script: string): string[] {
  const lines = script.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const [header, body] = [lines.slice(0, end), lines.slice(end)];
  const documented = documentedIn(header);
  const faults = header.some((line) => line.startsWith('-- Returns ')) ? [] : ['no -- Returns'];
  const seen = new Set<string>();
  for (const [slot, name] of body.flatMap((line) => namedIn(line.replace(/--.*$/, '')))) {
    if (seen.has(slot)) faults.push(`${slot} is read twice`);
    seen.add(slot);
    // A tail is a list; a word of Lua cannot be a name.
    if (slot.includes('..') ? documented.has(slot) : documented.get(slot) === name) continue;
    faults.push(`${slot} is ${documented.get(slot)} in the header and ${name} in the body`);
  }
  for (const slot of documented.keys()) if (!seen.has(slot)) faults.push(`${slot} is not read`);
  return faults;
}

describe("a Lua script's header documents its keys and arguments as its body names them", () => {
  const scripts = filesOf('src').filter((path) => /(?<!\.include)\.lua$/.test(path));
  test.each(scripts)(
    'the header of %s documents its keys and arguments as its body names them',
    (path) => {
      expect(headerFaults(readFileSync(path, 'utf8'))).toEqual([]);
    },
  );
  test('the header of the keys that scripts share documents them as the body names them', () => {
    const shared = readFileSync('src/ranking/lua/guild-keys.include.lua', 'utf8');
    expect(headerFaults(shared)).toEqual(['no -- Returns']);
  });

  test('an argument that the body of a script names otherwise than its header is found', () => {
    const script = readFileSync('src/redis/lua/release-lease.lua', 'utf8');
    const fault = 'ARGV[2] is other in the header and as in the body';
    expect(headerFaults(script.replace('ARGV[2]  as', 'ARGV[2]  other'))).toEqual([fault]);
  });
});

describe('the lock', () => {
  type Lock = { packages: Record<string, { optionalDependencies?: Record<string, string> }> };
  const text = readFileSync('package-lock.json', 'utf8');

  test('package-lock.json names no registry', () => {
    // A workspace is `resolved` too, to its folder.
    expect(text).not.toMatch(/"resolved"\s*:\s*"[^"]*:|https?:\/\/registry\./);
  });

  // The registry in use when the lock was made had no package of some other platforms to hash.
  // Withstands (Attacks): A package is replaced
  // → the lock holds its hash
  test('the lock file holds a hash of every package, except development tools of other platforms', () => {
    type Entry = { integrity?: string; link?: boolean; dev?: boolean; os?: string[] };
    const { packages } = JSON.parse(text) as { packages: Record<string, Entry> };
    const lacking = Object.entries(packages).filter(
      ([path, { integrity = '', link, dev, os }]) =>
        path.includes('node_modules/') &&
        link !== true &&
        !/^sha512-[\w+/]{86}==$/.test(integrity) &&
        !(dev === true && os !== undefined),
    );
    expect(lacking.map(([path]) => path)).toEqual([]);
  });

  // npm leaves out what its registry did not have, and then refuses its own lock in `npm ci`.
  test('the lock file holds the packages of every platform', () => {
    const { packages } = JSON.parse(text) as Lock;
    const lacking = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      ),
    );
    expect(lacking).toEqual([]);
  });
});

test('only clock.ts asks the system for the time', () => {
  const asking = filesOf('src', 'commands').filter(
    (path) =>
      path.endsWith('.ts') &&
      path !== 'src/runtime/clock.ts' &&
      // Not in a comment.
      /^(?!\s*(\/\/|\/?\*)).*(\bDate\.now\b|\bnew Date\(\))/m.test(readFileSync(path, 'utf8')),
  );
  expect(asking).toEqual([]);
});

test('a feature and a command name what they need, and take neither the whole bot nor a part of it', () => {
  const code = filesOf('src', 'commands').filter((path) => path.endsWith('.ts'));
  const taking = code.filter((path) =>
    /import [^;]*\bBot\b[^;]*bot\.ts'|\bPick<\s*Bot\b|\bReturnType<typeof (open|start)\w+>/.test(
      readFileSync(path, 'utf8'),
    ),
  );
  expect(taking).toEqual([]);
});

/** Their files are used one by one. */
const ROOMS_WITHOUT_DOOR = ['text', 'editions', 'redis', 'runtime'];

test('each feature has a door, a file of its own name, and says there what it needs', () => {
  const rooms = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ROOMS_WITHOUT_DOOR.includes(entry.name))
    .map(({ name }) => name);
  const without = rooms.filter((room) => {
    const door = `src/${room}/${room}.ts`;
    if (!existsSync(door)) return true;
    const text = readFileSync(door, 'utf8');
    // The sections of the panel are opened one by one.
    if (/\bexport const sections\b/.test(text)) return false;
    const isOpened = /\bexport (async )?function (open|start)\w+\(/.test(text);
    return !isOpened || !/^export interface \w+Needs\b/m.test(text);
  });
  expect(without).toEqual([]);
});

test('what a feature needs and what its door returns is an interface with a sentence for each field', () => {
  const code = filesOf('src', 'commands').filter((path) => path.endsWith('.ts'));
  const declared = /^(?:export )?(interface|type) (\w+)\b[^\n]* \{\n([\s\S]*?)^\}/gm;
  const bare = code.flatMap((path) => {
    const found = [...readFileSync(path, 'utf8').matchAll(declared)];
    return found.flatMap(([, kind, name = '', body = '']) => {
      if (kind === 'type') return /(Needs|Parts)$/.test(name) ? [`${path}: ${name}`] : [];
      const lines = body.split('\n');
      const fields = lines.filter((line, index) => {
        const isField = /^  (readonly )?\w+\??[:(<]/.test(line);
        return isField && !lines[index - 1]?.endsWith('*/');
      });
      return fields.map((line) => `${path}: ${name}: ${line.trim()}`);
    });
  });
  expect(bare).toEqual([]);
});

/** Each reads one key whose size is bounded where it is written, or one that no guild decides. */
const READ_WHOLE: Record<string, string> = {
  'src/guilds/lua/look-at-data-set.lua': 'the processes',
  'src/personal/stored-personal.ts': 'SAVED_AT_MOST and MUTES_AT_MOST, at the command',
  'src/digests/stored-digests.ts': 'DIGESTS_PER_GUILD, at the command and at a file',
  'src/community/known-guilds.ts': 'the bot’s guilds',
  'src/due/lua/take-due.lua': 'the notes of one piece of work',
  'src/due/lua/end-due.lua': 'the notes of one piece of work',
  'src/redis/lua/take-lease.lua': 'the notes of one piece of work',
};

// Withstands (Attacks): A server has sets of a million members
// → they are bounded, and read in steps
test('what is stored as JSON is written by the schema that reads it', () => {
  /** Their JSON goes elsewhere: into a log, a file, an answer, a hash, or beside another to compare it. */
  const elsewhere = new Set([
    'src/articles/messages/compare-message.ts',
    'src/backup/guild-file/export.ts',
    'src/backup/guild-file/read.ts',
    'src/backup/guild-file/restore-records.ts',
    'src/board/board-message.ts',
    'src/community/settings.ts',
    'src/digests/command/apply-options.ts',
    'src/digests/schedule/time-zones.ts',
    'src/discord/commands/deploy.ts',
    'src/panel/setting-values.ts',
    'src/privacy/member-data.ts',
    'src/redis/errors.ts',
    'src/redis/stored.ts',
    'src/runtime/log.ts',
    'src/runtime/version.ts',
    'src/text/catalogue.ts',
    'src/votes/recount/recount.ts',
    'src/web/page-answers.ts',
    'src/web/pages/feed.ts',
  ]);
  const writers = filesOf('src').filter(
    (path) =>
      path.endsWith('.ts') && /\bJSON\.(parse|stringify)\b/.test(readFileSync(path, 'utf8')),
  );
  expect(writers).toContain('src/redis/stored.ts');
  expect(writers.filter((path) => !elsewhere.has(path))).toEqual([]);
});

test('no hash or set is read whole whose size a member, a moderator or a file decides', () => {
  const code = filesOf('src', 'commands').filter((path) => /\.(ts|lua)$/.test(path));
  const reading = code.filter((path) =>
    /\b(hgetall|hkeys|hvals|smembers)\b(?=['(])/i.test(readFileSync(path, 'utf8')),
  );
  expect(reading.toSorted()).toEqual(Object.keys(READ_WHOLE).toSorted());
});

test('a locale of Discord’s becomes a language of the catalogue before anything is written in it', () => {
  const code = filesOf('src', 'commands').filter((path) => path.endsWith('.ts'));
  const raw = /(?:Intl\.\w+|toLocale\w+)\(\s*(?!languageOf\()[\w.?]*[lL]ocale\b/;
  expect(code.filter((path) => raw.test(readFileSync(path, 'utf8')))).toEqual([]);
});
