/** The rooms of `src/`, as in ARCHITECTURE.md: each may import the rooms that come after it. */
const rooms = [
  'panel',
  'guilds',
  'backup',
  'board',
  'web',
  'monitoring',
  'privacy',
  'moderation',
  'digests',
  'personal',
  'editions',
  'nominations',
  'history',
  'votes',
  'earlier',
  'articles',
  'community',
  'messages',
  'discord',
  'text',
  'ranking',
  'due',
  'redis',
  'runtime',
];
/** These rooms do not import each other. */
const neighbours = ['web', 'privacy', 'moderation', 'digests'];
const roomsWithoutDiscord = [
  'ranking',
  'due',
  'redis',
  'runtime',
  'text',
  'editions',
  'web',
  'monitoring',
];
const roomsThatUseRedis = ['ranking', 'due', 'redis'];

const below = (room) =>
  rooms
    .slice(rooms.indexOf(room) + 1)
    .filter((other) => !(neighbours.includes(room) && neighbours.includes(other)));

const house = '^(src|commands|discord-box|sandbox|test|bench)/';

/** The layers of the box, from the top down; each imports those below it. */
const layers = ['act', 'gateway', 'rest', 'world', 'model', 'forms'];

const inRooms = (names) => `^src/(${names.join('|')})/`;
const fromPackage = (name) => `(^|node_modules/)${name}(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rooms.map((room) => ({
      name: `${room}-imports-only-rooms-below`,
      severity: 'error',
      from: {
        path: inRooms([room]),
        pathNot: room === 'backup' ? ['^src/backup/cli/'] : [],
      },
      to: {
        path: house,
        pathNot: inRooms([room, ...below(room)]),
      },
    })),
    {
      name: 'a-new-room-says-what-it-may-import',
      comment: 'Add the room to `rooms` in .dependency-cruiser.js.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: [inRooms(rooms)] },
      to: {},
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: house, pathNot: '^src/' },
    },
    {
      name: 'no-feature-knows-the-whole-bot',
      comment: 'It says in its needs what it uses. Commands get the opened features.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/main\\.ts$', '^src/backup/cli/'] },
      to: { path: '^src/bot\\.ts$' },
    },
    {
      name: 'commands-do-not-import-each-other',
      severity: 'error',
      from: { path: '^commands/([^/.]+)' },
      // A command's parts stand in a folder of its name.
      to: { path: house, pathNot: ['^src/', '^commands/$1[/.]'] },
    },
    {
      name: 'what-the-browser-shows-knows-nothing-of-the-bot',
      severity: 'error',
      from: { path: '^sandbox/(page|tour/panel)/' },
      to: { path: '^(src|commands|test|bench)/' },
    },
    {
      name: 'the-tour-knows-only-what-the-bot-writes',
      comment: "The article's message, the keys in Redis, and the rooms below.",
      severity: 'error',
      from: { path: '^sandbox/' },
      to: {
        path: '^(src|commands|test|bench)/',
        pathNot: '^src/(articles/messages|text|ranking|redis|runtime)/',
      },
    },
    {
      name: 'the-discord-in-a-box-stands-alone',
      severity: 'error',
      from: { path: '^discord-box/' },
      to: { path: house, pathNot: '^discord-box/' },
    },
    ...layers.map((layer, at) => ({
      name: `box-${layer}-imports-only-layers-below`,
      severity: 'error',
      from: { path: `^discord-box/src/${layer}/` },
      to: { path: `^discord-box/src/(${['server', ...layers.slice(0, at)].join('|')})(/|\\.ts)` },
    })),
    {
      name: 'rooms-that-know-no-discord',
      severity: 'error',
      from: { path: inRooms(roomsWithoutDiscord) },
      to: { path: [fromPackage('discord\\.js'), fromPackage('@discordjs')] },
    },
    {
      name: 'redis-is-reached-through-its-room',
      severity: 'error',
      from: { path: ['^commands/', '^src/'], pathNot: inRooms(roomsThatUseRedis) },
      to: { path: fromPackage('ioredis') },
    },
    {
      name: 'the-bot-needs-no-development-package',
      comment: '`npm ci --omit=dev && npm start` has only the dependencies.',
      severity: 'error',
      from: { path: '^(src|commands|bin)/', pathNot: '^bin/sandbox\\.js$' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
      },
    },
    {
      name: 'no-circles',
      comment: 'Types count as well.',
      severity: 'error',
      from: { path: '^(src|commands|discord-box|sandbox)/' },
      to: { circular: true },
    },
    {
      name: 'no-circles-of-folders',
      comment:
        'A folder contains its subfolders: its own files may use theirs, and the other way round.',
      scope: 'folder',
      severity: 'error',
      from: { path: '^(src|commands|discord-box|sandbox)/' },
      to: { circular: true },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API.
    parser: 'swc',
    // Imports of types count.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
