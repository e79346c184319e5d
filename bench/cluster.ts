import { createLog } from '../src/log.ts';
import { connectRedis } from '../src/redis/connection.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { openRanking } from '../src/ranking/ranking.ts';
import { castVote } from '../src/ranking/ballots/votes.ts';
import { mastersOf, startTestCluster } from '../test/fixtures/cluster.ts';
import type { Bench } from './bench.ts';
import { repeat } from './load.ts';
import { guildId, memberId, newArticle } from './material.ts';
import { APPLICATION } from './server.ts';
import type { Row } from './table.ts';

const GUILDS = 30;
const FLUSHES = 20;

/** Flushes the scripts of every server of a cluster with three masters while votes are in flight. */
export async function measureCluster({ clock, quick }: Bench): Promise<Row[]> {
  const cluster = await startTestCluster();
  const redis = connectRedis(cluster.url, { log: createLog('silent'), name: 'bench' });
  const ranking = openRanking(redis, APPLICATION);
  try {
    const now = clock.now();
    const articles = Array.from({ length: GUILDS }, (_, n) =>
      newArticle(guildId(n), n, { count: GUILDS, now }),
    );
    for (const article of articles) await postArticle(ranking, article);
    const votes = quick ? 1000 : 30_000;
    let [cast, errors] = [0, 0];
    await repeat(votes, 64, async () => {
      const n = cast++;
      const { guild, id } = articles[n % GUILDS]!;
      const ballot = { guild, article: id, member: memberId(n), vote: 'up' } as const;
      await castVote(ranking, ballot, clock.now()).catch(() => errors++);
      if (n % Math.ceil(votes / FLUSHES) === 0) {
        await Promise.all(mastersOf(redis).map((node) => node.script('FLUSH')));
      }
    });
    await ranking.changes.flush();
    return [
      {
        what: `errors of ${votes} votes, 64 in flight over ${GUILDS} guilds on three masters, after ${FLUSHES} SCRIPT FLUSH on each`,
        frontpage: String(errors),
        other: '',
        result: errors,
        unit: '',
        limits: { atLeast: 0, aim: 0 },
      },
    ];
  } finally {
    redis.disconnect();
    await cluster.stop();
  }
}
