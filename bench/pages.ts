import { listArticles } from '../src/ranking/lists/ranked.ts';
import { type Bench, fillGuild, fillTextbook } from './bench.ts';
import { throughput } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, type Limits, type Row } from './table.ts';
import * as textbook from './textbook.ts';

const ARTICLES = 1000;

const CASES: { inFlight: number; limits: Limits }[] = [
  { inFlight: 1, limits: { atLeast: 3.5, aim: 8 } },
  { inFlight: 64, limits: { atLeast: 2.5, aim: 6 } },
];

/** The first page of 25 complete articles, best first. */
export async function measurePages(bench: Bench): Promise<Row[]> {
  const { server, sliceMs, rounds } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const redis = await server.connect();
  await fillGuild(bench, ranking, guild, ARTICLES);
  await fillTextbook(bench, redis, ARTICLES);
  const rows: Row[] = [];
  for (const { inFlight, limits } of CASES) {
    const slice = (step: () => Promise<unknown>) => () => throughput(inFlight, sliceMs, step);
    const results = await race(
      [
        {
          name: 'frontpage',
          slice: slice(() =>
            listArticles(ranking, { guild, order: 'score', page: 1, pageSize: 25 }),
          ),
        },
        { name: 'textbook', slice: slice(() => textbook.page(redis, 1)) },
      ],
      rounds,
    );
    const rate = (name: keyof typeof results) => grouped(Math.round(median(results[name])));
    rows.push({
      what: `page of 25, ${inFlight} in flight`,
      of: `${rate('frontpage')}/s, textbook ${rate('textbook')}/s`,
      result: ratio(results, 'frontpage', 'textbook'),
      unit: '×',
      limits,
    });
  }
  return rows;
}
