import { castVote } from '../src/ranking/ballots/votes.ts';
import { startBallots } from './ballots.ts';
import { type Bench, fillGuild, fillTextbook, seconds } from './bench.ts';
import { throughput } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { grouped, type Row } from './table.ts';
import * as textbook from './textbook.ts';

const ARTICLES = 1000;
const MODES = ['everysec', 'always'] as const;

/** The same votes with different values of `appendfsync`. */
export async function measureFsync(bench: Bench): Promise<Row[]> {
  const { server, clock, sliceMs, rounds } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const redis = await server.connect();
  const ours = startBallots(await fillGuild(bench, ranking, guild, ARTICLES));
  const theirs = startBallots(await fillTextbook(bench, redis, ARTICLES));
  const rows: Row[] = [];
  for (const inFlight of [1, 64]) {
    const results = await race(
      MODES.flatMap((mode) => {
        const slice = (step: () => Promise<unknown>) => async () => {
          await server.control.config('SET', 'appendfsync', mode);
          return throughput(inFlight, sliceMs, step);
        };
        return [
          {
            name: `frontpage ${mode}` as const,
            slice: slice(() => castVote(ranking, { guild, ...ours() }, clock.now())),
          },
          {
            name: `textbook ${mode}` as const,
            slice: slice(() => textbook.vote(redis, theirs(), seconds(clock))),
          },
        ];
      }),
      rounds,
    );
    for (const mode of MODES) {
      rows.push({
        what: `vote, ${inFlight} in flight, appendfsync ${mode}`,
        frontpage: `${grouped(Math.round(median(results[`frontpage ${mode}`])))}/s`,
        other: `textbook ${grouped(Math.round(median(results[`textbook ${mode}`])))}/s`,
        result: ratio(results, `frontpage ${mode}`, `textbook ${mode}`),
        unit: '×',
      });
    }
  }
  return rows;
}
