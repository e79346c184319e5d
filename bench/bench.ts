import type { Clock } from '../src/runtime/clock.ts';
import { postArticle } from '../src/ranking/articles/articles.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Snowflake } from '../src/runtime/snowflake.ts';
import { repeat } from './load.ts';
import { newArticle, text, memberId } from './material.ts';
import type { BenchServer } from './server.ts';
import type { Row } from './table.ts';
import * as textbook from './textbook.ts';
import type { Redis } from 'ioredis';

/** The arguments of a group of measurements. */
export type Bench = {
  /** Emptied before each group. */
  server: BenchServer;
  clock: Clock;
  sliceMs: number;
  rounds: number;
  /** A smoke run: everything once, small. */
  quick: boolean;
};

export type Group = (bench: Bench) => Promise<Row[]>;

/** Creates a guild with open articles and returns their ids. */
export async function fillGuild(
  { clock }: Bench,
  ranking: Ranking,
  guild: Snowflake,
  count: number,
  inFlight = 64,
): Promise<Snowflake[]> {
  const now = clock.now();
  const ids: Snowflake[] = [];
  await repeat(count, inFlight, async () => {
    const article = newArticle(guild, ids.length, { count, now });
    ids.push(article.id);
    const { status } = await postArticle(ranking, article);
    if (status !== 'posted') throw new Error(`An article was not posted: ${status}.`);
  });
  return ids;
}

/** Creates the same number of the textbook's articles. */
export async function fillTextbook({ clock }: Bench, redis: Redis, count: number) {
  const articles: string[] = [];
  for (let n = 0; n < count; n++) {
    const article = { poster: memberId(n + 50_000_000), ...text(n) };
    articles.push(await textbook.post(redis, article, seconds(clock)));
  }
  return articles;
}

export function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
