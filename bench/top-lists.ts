import { setTimeout as pause } from 'node:timers/promises';
import { startClock } from '../src/runtime/clock.ts';
import { listArticles } from '../src/ranking/lists/ranked.ts';
import { TopLists } from '../src/ranking/lists/top-lists.ts';
import { type Bench, fillGuild } from './bench.ts';
import { throughput } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, type Row } from './table.ts';

const ARTICLES = 1000;
/** Until the message of the last post is there. */
const QUIET_MS = 500;

/** First pages from the process's own list against asking Redis. */
export async function measureTopLists(bench: Bench): Promise<Row[]> {
  const { server, sliceMs, rounds } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  await fillGuild(bench, ranking, guild, ARTICLES);
  const lists = new TopLists(await server.openRanking(), startClock());
  const first = { guild, order: 'score', page: 1, pageSize: 25 } as const;
  await lists.page(first);
  await pause(QUIET_MS);
  const results = await race(
    [
      { name: 'stored', slice: () => throughput(1, sliceMs, () => lists.page(first)) },
      { name: 'redis', slice: () => throughput(1, sliceMs, () => listArticles(ranking, first)) },
    ],
    rounds,
  );
  lists.stop();
  const rate = (name: keyof typeof results) => grouped(Math.round(median(results[name])));
  return [
    {
      what: 'first page of 25 from the process’s own top list',
      of: `${rate('stored')}/s, Redis ${rate('redis')}/s`,
      result: ratio(results, 'stored', 'redis'),
      unit: '×',
      limits: { atLeast: 20, aim: 40 },
    },
  ];
}
