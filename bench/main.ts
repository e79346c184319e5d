import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startClock } from '../src/runtime/clock.ts';
import type { Bench, Group } from './bench.ts';
import { measureBoards } from './boards.ts';
import { measureDigests } from './digests.ts';
import { measureDocuments } from './documents.ts';
import { measureEarlier } from './earlier.ts';
import { measureEngines } from './engines.ts';
import { measureFlood } from './flood.ts';
import { measureHeavyLists } from './heavy-lists.ts';
import { measureImports } from './imports.ts';
import { measureLargeSets } from './large-sets.ts';
import { measureMark } from './mark.ts';
import { measureMemory } from './memory.ts';
import { measureMillion } from './million.ts';
import { measurePages } from './pages.ts';
import { measurePosts } from './posts.ts';
import { measureRaces } from './races.ts';
import { measureRequests } from './requests.ts';
import { type BenchServer, readInfo, startBenchServer } from './server.ts';
import { measureRest } from './rest.ts';
import { measureServerTime } from './server-time.ts';
import { type Row, renderTable, replaceResults } from './table.ts';
import { measureTopLists } from './top-lists.ts';
import { measureVotes } from './votes.ts';

/** In the order of the table. Each has its own server like the bot's. */
const GROUPS: Record<string, Group> = {
  votes: measureVotes,
  'server-time': measureServerTime,
  pages: measurePages,
  'top-lists': measureTopLists,
  posts: measurePosts,
  million: measureMillion,
  memory: measureMemory,
  earlier: measureEarlier,
  races: measureRaces,
  requests: measureRequests,
  digests: measureDigests,
  'large-sets': measureLargeSets,
  flood: measureFlood,
  documents: measureDocuments,
  imports: measureImports,
  rest: measureRest,
};

/** Only by name. */
const SIMULATIONS: Record<string, Group> = {
  boards: measureBoards,
  mark: measureMark,
  engines: measureEngines,
  'heavy-lists': measureHeavyLists,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, fsync: { type: 'string' } },
});
const known: Record<string, Group> = { ...GROUPS, ...SIMULATIONS };
const unknown = positionals.filter((name) => !(name in known));
if (unknown.length > 0) {
  console.error(
    `No group is called ${unknown.join(', ')}. There are: ${Object.keys(known).join(', ')}.`,
  );
  process.exit(1);
}
const chosen = positionals.length > 0 ? positionals : Object.keys(GROUPS);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { quick, fsync } = values;
const settings = { clock: startClock(), quick, sliceMs: quick ? 40 : 150, rounds: quick ? 3 : 21 };
const rows: Row[] = [];
let machine = '';
for (const name of chosen) {
  const start = performance.now();
  const server = await startBenchServer();
  if (fsync !== undefined) await server.control.config('SET', 'appendfsync', fsync);
  machine = await describe(server);
  const bench: Bench = { ...settings, server };
  rows.push(...(await known[name]!(bench)));
  await server.stop();
  console.error(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
const table = renderTable(rows);
console.log(`\n${machine}\n\n${table}`);
if (!quick && fsync === undefined && positionals.length === 0) {
  const page = new URL('README.md', import.meta.url);
  writeFileSync(page, replaceResults(readFileSync(page, 'utf8'), `${machine}\n\n${table}`));
}
process.exit();

async function describe({ control }: BenchServer): Promise<string> {
  const version = (await readInfo(control, 'server')).get('redis_version');
  const [, fsync] = await control.config('GET', 'appendfsync');
  const day = new Date(settings.clock.now()).toISOString().slice(0, 10);
  const processors = cpus();
  return `${day}, ${processors.length} × ${processors[0]?.model}, Node ${process.versions.node}, Redis ${version} over a Unix socket with appendonly yes and appendfsync ${fsync}.`;
}
