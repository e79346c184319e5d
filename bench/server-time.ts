import type { Redis } from 'ioredis';
import { setVote, recordReaction } from '../src/ranking/ballots/votes.ts';
import { type Ballot, startBallots } from './ballots.ts';
import { type Bench, fillGuild, fillTextbook, seconds } from './bench.ts';
import { repeat } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { readInfo } from './server.ts';
import { round, type Row } from './table.ts';
import * as textbook from './textbook.ts';

const ARTICLES = 1000;

/** So few that a slice ends before the ranking tells others of them, which is not on a vote's path. */
const VOTES = 1000;

/** The server time of a vote as Redis reports it, without the round trip. */
export async function measureServerTime(bench: Bench): Promise<Row[]> {
  return [...(await againstTextbook(bench)), await repeated(bench)];
}

async function againstTextbook(bench: Bench): Promise<Row[]> {
  const { server, clock, rounds, quick } = bench;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const redis = await server.connect();
  redis.defineCommand('textbookVote', { lua: textbook.VOTE_SCRIPT, numberOfKeys: 4 });
  const scripted = redis as unknown as {
    textbookVote(...given: (string | number)[]): Promise<number>;
  };
  const ours = startBallots(await fillGuild(bench, ranking, guild, ARTICLES));
  const theirs = startBallots(await fillTextbook(bench, redis, ARTICLES));
  const votes = quick ? 300 : VOTES;
  const casting = async () => {
    await ranking.changes.flush();
    const step = () => setVote(ranking, { guild, ...ours() }, clock.now());
    return serverTime(server.control, votes, step);
  };
  const byTheBook = () =>
    scripted.textbookVote(...textbook.scriptArguments(theirs(), seconds(clock)));
  const results = await race(
    [
      { name: 'frontpage', slice: casting },
      { name: 'textbook', slice: () => serverTime(server.control, votes, byTheBook) },
    ],
    rounds,
  );
  return [
    {
      what: 'vote, server time',
      of: `${round(median(results.frontpage))} µs, textbook as one script ${round(median(results.textbook))} µs`,
      result: ratio(results, 'frontpage', 'textbook'),
      unit: '×',
      limits: { atLeast: 1.45, aim: 1.1 },
    },
  ];
}

async function repeated(bench: Bench): Promise<Row> {
  const { server, clock, rounds, quick } = bench;
  const guild = guildId(2);
  const ranking = await server.openRanking();
  const next = startBallots(await fillGuild(bench, ranking, guild, ARTICLES), { fresh: true });
  const votes = quick ? 300 : VOTES;
  let cast: Ballot<string>[] = [];
  const results = await race(
    [
      {
        name: 'fresh',
        slice: () => {
          cast = Array.from({ length: votes }, next);
          return casting();
        },
      },
      { name: 'repeated', slice: () => casting() },
    ],
    rounds,
  );
  async function casting(): Promise<number> {
    await ranking.changes.flush();
    const ballots = cast.values();
    return serverTime(server.control, votes, () => {
      const { vote: direction, ...ballot } = ballots.next().value!;
      return recordReaction(ranking, { guild, ...ballot, direction, shown: true }, clock.now());
    });
  }
  return {
    what: 'repeated vote, server time',
    of: `${round(median(results.repeated))} µs, fresh vote ${round(median(results.fresh))} µs`,
    result: ratio(results, 'repeated', 'fresh'),
    unit: '×',
    limits: { atLeast: 0.35, aim: 0.25 },
  };
}

/** The server's time for scripts, in µs a vote, however many votes a script had. */
async function serverTime(
  control: Redis,
  times: number,
  step: () => Promise<unknown>,
): Promise<number> {
  await control.config('RESETSTAT');
  await repeat(times, 64, step);
  const stat = (await readInfo(control, 'commandstats')).get('cmdstat_evalsha') ?? '';
  const usec = /\busec=(\d+)/.exec(stat)?.[1];
  if (usec === undefined) throw new Error('No script was counted.');
  return Number(usec) / times;
}
