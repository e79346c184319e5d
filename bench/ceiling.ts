import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { guildKeys } from '../src/ranking/keys.ts';
import { readScript } from '../src/redis/scripts.ts';
import { castVote } from '../src/ranking/ballots/votes.ts';
import { secondsOf } from '../src/ranking/snowflake.ts';
import { type Bench, fillGuild } from './bench.ts';
import { repeat } from './load.ts';
import { guildId } from './material.ts';
import { median, race, ratio } from './rounds.ts';
import { APPLICATION } from './server.ts';
import { grouped, type Row } from './table.ts';

const run = promisify(execFile);

/** An article's voters stay an intset, as in production. */
const VOTES = 20_000;

/**
 * Compares the vote script through the product with the fastest client that comes with Redis.
 * redis-benchmark can generate one number a command, so a slice is fresh votes on one new article.
 */
export async function measureCeiling(bench: Bench): Promise<Row[]> {
  const { server, clock, quick, rounds } = bench;
  const version = await run('redis-benchmark', ['--version']).catch(() => null);
  if (version === null) {
    console.log('redis-benchmark is not here, so the share of its throughput is not measured.');
    return [];
  }
  const votes = quick ? 4000 : VOTES;
  const guild = guildId(1);
  const ranking = await server.openRanking();
  const articles = (await fillGuild(bench, ranking, guild, 3 * rounds + 8)).values();
  const sha = createHash('sha1')
    .update(readScript(join(import.meta.dirname, '../src/ranking/ballots'), 'cast-votes'))
    .digest('hex');
  const keys = guildKeys(APPLICATION, guild);

  function frontpage(): Promise<number> {
    const article = articles.next().value!;
    let member = 1_100_000_000_000_000_000n;
    return repeat(votes, 64, () => {
      member += 49_999_999n;
      return castVote(
        ranking,
        { guild, article, member: member.toString(), vote: 'up' },
        clock.now(),
      );
    });
  }
  async function benchmark(): Promise<number> {
    const article = articles.next().value!;
    const { stdout } = await run(
      'redis-benchmark',
      ['-s', server.url, '-P', '64', '-c', '50', '-n', String(votes), '-r', '1000000000'].concat(
        ['--csv', 'EVALSHA', sha, '5', keys.articles, keys.score, keys.interesting],
        [keys.voterSets, keys.olderSets, article, String(secondsOf(article))],
        ['1100000__rand_int__', 'set', 'up'],
      ),
    );
    const perSecond = Number(stdout.trim().split('\n').at(-1)?.split('","')[1]);
    const { up } = await readTally(article);
    if (!(perSecond > 0) || up < votes * 0.99) throw new Error('redis-benchmark did not vote.');
    return perSecond;
  }
  async function readTally(article: string): Promise<{ up: number }> {
    const row = await ranking.redis.hget(keys.articles, article);
    return { up: Number(row?.split(' ', 1)[0] ?? 0) };
  }

  const results = await race(
    [
      { name: 'frontpage', slice: frontpage },
      { name: 'benchmark', slice: benchmark },
    ],
    rounds,
  );
  return [
    {
      what: "vote script's throughput through the product, 64 in flight on one connection",
      frontpage: `${grouped(Math.round(median(results.frontpage)))}/s`,
      other: `redis-benchmark -P 64 -c 50 ${grouped(Math.round(median(results.benchmark)))}/s`,
      result: ratio(results, 'frontpage', 'benchmark') * 100,
      unit: '%',
      limits: { atLeast: 50, aim: 75 },
    },
  ];
}
