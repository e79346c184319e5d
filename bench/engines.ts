import { delimiter } from 'node:path';
import { setVote } from '../src/ranking/ballots/votes.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { listArticles } from '../src/ranking/lists/ranked.ts';
import { startBallots } from './ballots.ts';
import { type Bench, fillGuild } from './bench.ts';
import { throughput } from './load.ts';
import { guildId, newArticle } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { type BenchServer, readInfo, startBenchServer } from './server.ts';
import { grouped, type Row } from './table.ts';

const ARTICLES = 1000;
const IN_FLIGHT = 64;

/**
 * The same work on a second engine, in turns. `BENCH_ENGINE` is the folder with its server, as
 * `.ci/valkey <folder>` prints it.
 */
export async function measureEngines(bench: Bench): Promise<Row[]> {
  const folder = process.env['BENCH_ENGINE'];
  if (folder === undefined) throw new Error('BENCH_ENGINE names no folder with a second server.');
  const second = await startFrom(folder);
  const [first, other] = await Promise.all([
    openWork(bench),
    openWork({ ...bench, server: second }),
  ]);
  const rows: Row[] = [];
  for (const what of ['vote', 'page of 25', 'post'] as const) {
    const slice = (step: () => Promise<unknown>) => () =>
      throughput(IN_FLIGHT, bench.sliceMs, step);
    const results = await race(
      [
        { name: 'first', slice: slice(first[what]) },
        { name: 'second', slice: slice(other[what]) },
      ],
      bench.rounds,
    );
    const rate = (name: keyof typeof results) => grouped(Math.round(median(results[name])));
    rows.push({
      what: `${what}, ${IN_FLIGHT} in flight, on ${await nameOf(second)}`,
      of: `${rate('second')}/s, ${await nameOf(bench.server)} ${rate('first')}/s`,
      result: ratio(results, 'second', 'first'),
      unit: '×',
    });
  }
  await second.stop();
  return rows;
}

/** The server that PATH would find there. */
async function startFrom(folder: string): Promise<BenchServer> {
  const { PATH = '' } = process.env;
  process.env['PATH'] = `${folder}${delimiter}${PATH}`;
  try {
    return await startBenchServer();
  } finally {
    process.env['PATH'] = PATH;
  }
}

async function openWork(bench: Bench) {
  const { server, clock } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const next = startBallots(await fillGuild(bench, ranking, guild, ARTICLES));
  let posted = ARTICLES;
  return {
    vote: () => setVote(ranking, { guild, ...next() }, clock.now()),
    'page of 25': () => listArticles(ranking, { guild, order: 'score', page: 1, pageSize: 25 }),
    post: () => {
      posted += 1;
      return postArticle(
        ranking,
        newArticle(guildId(2), posted, { count: posted, now: clock.now() }),
      );
    },
  };
}

async function nameOf({ control }: BenchServer): Promise<string> {
  const info = await readInfo(control, 'server');
  const valkey = info.get('valkey_version');
  return valkey === undefined ? `Redis ${info.get('redis_version')}` : `Valkey ${valkey}`;
}
