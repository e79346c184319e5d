import { setVote } from '../src/ranking/ballots/votes.ts';
import { startBallots } from './ballots.ts';
import { type Bench, fillGuild, fillTextbook, seconds } from './bench.ts';
import { throughput } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, type Limits, type Row } from './table.ts';
import * as textbook from './textbook.ts';

const ARTICLES = 1000;

/** With `always`, each vote is on the disk before its answer. */
const CASES: { inFlight: number; fsync?: 'always'; limits?: Limits }[] = [
  { inFlight: 1, limits: { atLeast: 2.5, aim: 4 } },
  { inFlight: 64, limits: { atLeast: 2.5, aim: 3.8 } },
  { inFlight: 1, fsync: 'always' },
  { inFlight: 64, fsync: 'always' },
];

/** Votes on one connection: fresh ones and switches, up and down. */
export async function measureVotes(bench: Bench): Promise<Row[]> {
  const { server, clock, sliceMs, rounds } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const redis = await server.connect();
  const ours = startBallots(await fillGuild(bench, ranking, guild, ARTICLES));
  const theirs = startBallots(await fillTextbook(bench, redis, ARTICLES));
  const rows: Row[] = [];
  for (const { inFlight, fsync, limits } of CASES) {
    if (fsync !== undefined) await server.control.config('SET', 'appendfsync', fsync);
    const results = await race(
      [
        {
          name: 'frontpage',
          slice: () =>
            throughput(inFlight, sliceMs, () =>
              setVote(ranking, { guild, ...ours() }, clock.now()),
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
      what: `vote, ${inFlight} in flight${fsync === undefined ? '' : `, appendfsync ${fsync}`}`,
      of: `${grouped(Math.round(median(results.frontpage)))}/s, textbook ${grouped(Math.round(median(results.textbook)))}/s`,
      result: ratio(results, 'frontpage', 'textbook'),
      unit: '×',
      ...(limits ? { limits } : {}),
    });
  }
  return rows;
}
