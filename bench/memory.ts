import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { postArticle } from '../src/ranking/articles/articles.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import { setVote } from '../src/ranking/ballots/votes.ts';
import { storeKeys } from '../src/redis/store-keys.ts';
import { MINUTE_MS } from '../src/runtime/clock.ts';
import { type Bench, fillGuild } from './bench.ts';
import { repeat } from './load.ts';
import { CHANNELS, guildId, memberId, newArticle, text } from './material.ts';
import { readInfo } from './server.ts';
import { round, type Limits, type Row } from './table.ts';
import * as textbook from './textbook.ts';

/** Hash tables double, so with 3/4 of a power of two entries they have their mean load. */
const ARTICLES = 24_576;

const VOTERS: { voters: number; articles: number; limits: Limits }[] = [
  { voters: 10, articles: 3072, limits: { atLeast: 30, aim: 16.8 } },
  { voters: 200, articles: 384, limits: { atLeast: 11, aim: 9.3 } },
  { voters: 2000, articles: 48, limits: { atLeast: 9, aim: 8.2 } },
  { voters: 20_000, articles: 6, limits: { atLeast: 9, aim: 8.2 } },
];

/** Bytes in the server's own count, with everything that a vote or an article adds. */
export async function measureMemory(bench: Bench): Promise<Row[]> {
  const { server } = bench;
  // The memory does not depend on how often Redis writes to the disk.
  await server.control.config('SET', 'appendfsync', 'no');
  const ranking = await server.openRanking();
  // Load the scripts first, so that their memory is not counted.
  const [article] = await fillGuild(bench, ranking, guildId(9), 1);
  const first = { guild: guildId(9), article: article!, member: memberId(1), vote: 'up' } as const;
  await setVote(ranking, first, bench.clock.now());
  return [...(await votes(bench, ranking)), ...(await articles(bench, ranking))];
}

async function votes(bench: Bench, ranking: Ranking): Promise<Row[]> {
  const { server, clock, quick } = bench;
  const guild = guildId(1);
  const rows: Row[] = [];
  for (const { voters, articles, limits } of VOTERS) {
    await server.control.flushall();
    const count = quick ? Math.ceil(articles / 12) : articles;
    const ids = await fillGuild(bench, ranking, guild, count);
    const before = await bytesOf(server.control);
    let n = 0;
    await repeat(count * voters, 256, () => {
      const article = ids[n % count]!;
      const member = memberId(Math.floor(n / count) + (n % count) * voters);
      const vote = n % 4 === 3 ? 'down' : 'up';
      n++;
      return setVote(ranking, { guild, article, member, vote }, clock.now());
    });
    const bytes = ((await bytesOf(server.control)) - before) / (count * voters);
    rows.push({
      what: `bytes a vote at ${voters} voters`,
      of: '',
      result: bytes,
      unit: 'B',
      limits,
    });
  }
  return rows;
}

async function articles(bench: Bench, ranking: Ranking): Promise<Row[]> {
  const count = bench.quick ? ARTICLES / 16 : ARTICLES;
  const ours = await bytesOfOurs(bench, ranking, count);
  const theirs = await bytesOfTextbook(bench, await bench.server.connect(), count);
  return [
    {
      what: 'bytes an article just posted, with the link index',
      of: `${round(ours)} B, textbook ${round(theirs)} B`,
      result: ours / theirs,
      unit: '×',
      limits: { atLeast: 1.5, aim: 1.2 },
    },
  ];
}

async function bytesOfOurs(bench: Bench, ranking: Ranking, count: number): Promise<number> {
  const { server, clock } = bench;
  const guild = guildId(1);
  await server.control.flushall();
  const before = await bytesOf(server.control);
  const now = clock.now();
  const options = { count, now };
  let n = 0;
  await repeat(count, 64, () => postArticle(ranking, newArticle(guild, n++, options)));
  // What is due of a post is done a moment later; what that adds, `earlier.ts` measures.
  await server.control.zremrangebyscore(storeKeys(ranking, guild).due, '-inf', now + MINUTE_MS);
  return ((await bytesOf(server.control)) - before) / count;
}

/** Rows, both rankings, the group's set and the key of voters. */
async function bytesOfTextbook(
  { server, clock }: Bench,
  redis: Redis,
  count: number,
): Promise<number> {
  await server.control.flushall();
  const before = await bytesOf(server.control);
  const nowSeconds = Math.floor(clock.now() / 1000);
  let n = 0;
  await repeat(count, 64, async () => {
    const mine = n++;
    const article = { poster: memberId(mine), ...text(mine) };
    const id = await textbook.post(redis, article, nowSeconds);
    await textbook.addToGroup(redis, id, CHANNELS[mine % CHANNELS.length]!);
  });
  return ((await bytesOf(server.control)) - before) / count;
}

/** used_memory without the buffers of clients and of the append-only file, which vary. */
export async function bytesOf(control: Redis): Promise<number> {
  for (;;) {
    const memory = await readInfo(control, 'memory');
    const of = (field: string) => Number(memory.get(field) ?? 0);
    // Deleted values are freed in the background.
    if (of('lazyfree_pending_objects') === 0) {
      return of('used_memory') - of('mem_clients_normal') - of('mem_aof_buffer');
    }
    await pause(10);
  }
}
