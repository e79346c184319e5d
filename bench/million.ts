import { setTimeout as pause } from 'node:timers/promises';
import { listArticles } from '../src/ranking/lists/ranked.ts';
import { setVote } from '../src/ranking/ballots/votes.ts';
import { type Ballot, startBallots } from './ballots.ts';
import { type Bench, fillGuild } from './bench.ts';
import { medianWait } from './load.ts';
import { CHANNELS, guildId } from './material.ts';
import { fillMillion } from './million-textbook.ts';
import { median, race, ratio } from './rounds.ts';
import { readInfo } from './server.ts';
import { grouped, round, type Row } from './table.ts';
import * as textbook from './textbook.ts';

const BIG = guildId(1);
const SMALL = guildId(2);

/** Compares a guild of a million articles with one of a thousand: no cost should grow with the guild. */
export async function measureMillion(bench: Bench): Promise<Row[]> {
  const { server, clock, quick, rounds } = bench;
  const count = quick ? 20_000 : 1_000_000;
  const ranking = await server.openRanking();
  const redis = await server.connect();
  const start = performance.now();
  // The server is filled without the disk; then it writes its file and runs as under the bot.
  await server.control.config('SET', 'appendonly', 'no');
  const big = await fillGuild(bench, ranking, BIG, count, 1000);
  const small = await fillGuild(bench, ranking, SMALL, 1000);
  await fillMillion(redis, count, clock.now());
  await server.control.config('SET', 'appendonly', 'yes');
  await untilWritten(bench);
  const filledSeconds = Math.round((performance.now() - start) / 1000);
  console.error(`million: ${grouped(count)} articles of either side in ${filledSeconds} s`);

  const page = (guild: string, group: string) =>
    listArticles(ranking, { guild, group, order: 'score', page: 1, pageSize: 25 });
  const group = CHANNELS[0]!;
  const times = quick ? 20 : 200;
  const pages = await race(
    [
      { name: 'big', slice: () => medianWait(times, () => page(BIG, group)) },
      { name: 'small', slice: () => medianWait(times, () => page(SMALL, group)) },
    ],
    rounds,
  );
  const ballots = { big: startBallots(shuffled(big)), small: startBallots(small) };
  const vote = (guild: string, next: () => Ballot<string>) =>
    setVote(ranking, { guild, ...next() }, clock.now());
  const votes = await race(
    [
      { name: 'big', slice: () => medianWait(times, () => vote(BIG, ballots.big)) },
      { name: 'small', slice: () => medianWait(times, () => vote(SMALL, ballots.small)) },
    ],
    rounds,
  );
  const cold = await race(
    [
      { name: 'frontpage', slice: () => medianWait(times, () => page(BIG, group)) },
      {
        name: 'textbook',
        slice: async () => {
          await redis.unlink(textbook.groupPageOf(group));
          return medianWait(1, () => textbook.groupPage(redis, group, 1));
        },
      },
    ],
    Math.min(rounds, 9),
  );
  const many = grouped(count);
  return [
    {
      what: `group's first page in a guild of ${many}, p50`,
      of: `${round(median(pages.big))} µs, in a guild of 1 000 ${round(median(pages.small))} µs`,
      result: ratio(pages, 'big', 'small'),
      unit: '×',
      limits: { atLeast: 1.5, aim: 1.1 },
    },
    {
      what: `vote at ${many} articles, p50`,
      of: `${round(median(votes.big))} µs, at 1 000 ${round(median(votes.small))} µs`,
      result: ratio(votes, 'big', 'small'),
      unit: '×',
      limits: { atLeast: 1.7, aim: 1.3 },
    },
    {
      what: `cold group page at ${many}`,
      of: `${round(median(cold.frontpage))} µs, textbook ${round(median(cold.textbook) / 1000)} ms`,
      result: ratio(cold, 'textbook', 'frontpage'),
      unit: '×',
      limits: { atLeast: 200, aim: 1000 },
    },
  ];
}

/** In mixed order, so that votes are spread over the guild. */
function shuffled(articles: readonly string[]): string[] {
  // A prime that does not divide the number visits each place once.
  return articles.map((_, i) => articles[(i * 7919) % articles.length]!);
}

async function untilWritten({ server }: Bench): Promise<void> {
  const busy = ['aof_rewrite_in_progress', 'aof_rewrite_scheduled'];
  for (;;) {
    const persistence = await readInfo(server.control, 'persistence');
    if (busy.every((field) => persistence.get(field) === '0')) return;
    await pause(100);
  }
}
