/** What floor 2 may know of floor 1: all but the web pages. */
const floorOne = ['redis', 'ranking', 'records', 'text'];
const articles = [...floorOne, 'discord', 'eligibility'];
const recount = [...articles, 'articles', 'voting'];

/** Each room of `src/`, and the other rooms that it may import (as in ARCHITECTURE.md). */
const rooms = {
  redis: [],
  ranking: ['redis'],
  records: ['redis', 'ranking'],
  text: [],
  web: floorOne,

  discord: floorOne,
  eligibility: floorOne,
  articles,
  voting: [...articles, 'articles'],
  admin: [...articles, 'articles'],
  digest: [...articles, 'articles'],
  privacy: [...articles, 'articles'],
  recount,
  guilds: [...recount, 'recount'],
};
const roomsWithoutDiscord = ['redis', 'ranking', 'records', 'text', 'web'];
const roomsWithoutRedis = Object.keys(rooms).filter((room) => !floorOne.includes(room));

/** Files that every room may import, and that import no room. */
const leaves = '^src/(cannot-start|clock|log|metrics|mutex|url|version)\\.ts$';
/** It opens parts of the rooms that do not name the App; the other rooms of floor 2 may name it. */
const app = '^src/app\\.ts$';
const house = '^(src|commands|sandbox|test|bench)/';

const inRooms = (names) => `^src/(${names.join('|')})/`;
const fromPackage = (name) => `(^|node_modules/)${name}(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(rooms).map(([room, others]) => ({
      name: `${room}-imports-only-rooms-below`,
      severity: 'error',
      from: { path: inRooms([room]) },
      to: {
        path: house,
        pathNot: [
          inRooms([room, ...others]),
          leaves,
          ...(roomsWithoutDiscord.includes(room) ? [] : [app]),
        ],
      },
    })),
    {
      name: 'a-new-room-says-what-it-may-import',
      comment: 'Add the room to `rooms` in .dependency-cruiser.js.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: [inRooms([...Object.keys(rooms), 'cli'])] },
      to: {},
    },
    {
      name: 'leaves-import-nothing-of-the-house',
      severity: 'error',
      from: { path: leaves },
      to: { path: house, pathNot: leaves },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: house, pathNot: '^src/' },
    },
    {
      name: 'only-main-and-cli-import-start',
      severity: 'error',
      from: { path: '^(src|commands)/', pathNot: ['^src/main\\.ts$', '^src/cli/'] },
      to: { path: '^src/start\\.ts$' },
    },
    {
      name: 'commands-do-not-import-each-other',
      severity: 'error',
      from: { path: '^commands/([^/.]+)' },
      // A command's parts stand in a folder of its name.
      to: { path: house, pathNot: ['^src/', '^commands/$1[/.]'] },
    },
    {
      name: 'sandbox-knows-nothing-of-the-bot',
      severity: 'error',
      from: { path: '^sandbox/' },
      to: { path: '^(src|commands|test|bench)/' },
    },
    {
      name: 'the-discord-in-a-box-stands-alone',
      severity: 'error',
      from: { path: '^sandbox/discord/' },
      to: { path: '^sandbox/(page|tour)/' },
    },
    {
      name: 'floor-one-knows-no-discord',
      severity: 'error',
      from: { path: inRooms(roomsWithoutDiscord) },
      to: { path: [fromPackage('discord\\.js'), fromPackage('@discordjs')] },
    },
    {
      name: 'floor-two-knows-no-redis',
      severity: 'error',
      from: { path: ['^commands/', inRooms(roomsWithoutRedis)] },
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
      from: { path: '^(src|commands|sandbox)/' },
      to: { circular: true },
    },
    {
      name: 'no-circles-of-folders',
      comment:
        'A folder contains its subfolders: its own files may use theirs, and the other way round.',
      scope: 'folder',
      severity: 'error',
      from: { path: '^(src|commands|sandbox)/' },
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
