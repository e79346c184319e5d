import { castVote } from '../src/ranking/ballots/votes.ts';
import { startBallots } from './ballots.ts';
import { type Bench, fillGuild, fillTextbook, seconds } from './bench.ts';
import { throughput } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, type Row } from './table.ts';
import * as textbook from './textbook.ts';

const ARTICLES = 1000;
/** The same votes with `appendfsync always`, which brings each to the disk before its answer. */
export async function measureFsync(bench: Bench): Promise<Row[]> {
  const { server, clock, sliceMs, rounds } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const redis = await server.connect();
  const ours = startBallots(await fillGuild(bench, ranking, guild, ARTICLES));
  const theirs = startBallots(await fillTextbook(bench, redis, ARTICLES));
  await server.control.config('SET', 'appendfsync', 'always');
  const rows: Row[] = [];
  for (const inFlight of [1, 64]) {
    const results = await race(
      [
        {
          name: 'frontpage',
          slice: () =>
            throughput(inFlight, sliceMs, () =>
              castVote(ranking, { guild, ...ours() }, clock.now()),
            ),
        },
        {
          name: 'textbook',
          slice: () =>
            throughput(inFlight, sliceMs, () => textbook.vote(redis, theirs(), seconds(clock))),
        },
      ],
      rounds,
    );
    rows.push({
      what: `vote, ${inFlight} in flight, appendfsync always`,
      frontpage: `${grouped(Math.round(median(results.frontpage)))}/s`,
      other: `textbook ${grouped(Math.round(median(results.textbook)))}/s`,
      result: ratio(results, 'frontpage', 'textbook'),
      unit: '×',
    });
  }
  return rows;
}
