import { postArticle } from '../src/ranking/articles/articles.ts';
import { type Bench, seconds } from './bench.ts';
import { throughput } from './load.ts';
import { guildId, memberId, newArticle, text } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, type Limits, type Row } from './table.ts';
import * as textbook from './textbook.ts';

const CASES: { inFlight: number; limits: Limits }[] = [
  { inFlight: 1, limits: { atLeast: 3, aim: 4.5 } },
  { inFlight: 64, limits: { atLeast: 1.4, aim: 3 } },
];

/** More than a run posts. */
const COUNT = 1_000_000;

/**
 * The commit of an article. Ours also updates the home group's rankings and the link index; the
 * textbook uses other commands for these or does not have them.
 */
export async function measurePosts(bench: Bench): Promise<Row[]> {
  const { server, clock, sliceMs, rounds } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const redis = await server.connect();
  const now = clock.now();
  let ours = 0;
  let theirs = 0;
  const rows: Row[] = [];
  for (const { inFlight, limits } of CASES) {
    const results = await race(
      [
        {
          name: 'frontpage',
          slice: () =>
            throughput(inFlight, sliceMs, () =>
              postArticle(ranking, newArticle(guild, ours++, { count: COUNT, now })),
            ),
        },
        {
          name: 'textbook',
          slice: () =>
            throughput(inFlight, sliceMs, () => {
              const article = { poster: memberId(theirs), ...text(theirs++) };
              return textbook.post(redis, article, seconds(clock));
            }),
        },
      ],
      rounds,
    );
    rows.push({
      what: `post, ${inFlight} in flight`,
      of: `${grouped(Math.round(median(results.frontpage)))}/s, textbook ${grouped(Math.round(median(results.textbook)))}/s`,
      result: ratio(results, 'frontpage', 'textbook'),
      unit: '×',
      limits,
    });
  }
  return rows;
}
