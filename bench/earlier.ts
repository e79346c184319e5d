import type { Redis } from 'ioredis';
import { postArticle } from '../src/ranking/articles/articles.ts';
import { writePreview } from '../src/ranking/articles/previews.ts';
import { guildKeys } from '../src/ranking/keys.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Article } from '../src/ranking/row.ts';
import { walkList } from '../src/ranking/lists/ranked.ts';
import { readPreviews } from '../src/ranking/articles/previews.ts';
import { comparedWith } from '../src/ranking/subjects/in-common.ts';
import {
  findEarlier,
  indexAll,
  indexArticle,
  type SubjectsNeeds,
} from '../src/ranking/subjects/subjects.ts';
import { storeKeys } from '../src/redis/store-keys.ts';
import type { Snowflake } from '../src/runtime/snowflake.ts';
import type { Bench } from './bench.ts';
import { repeat } from './load.ts';
import { guildId, newArticle } from './material.ts';
import { bytesOf } from './memory.ts';
import { randomFrom } from './random.ts';
import { median, race, ratio } from './rounds.ts';
import { round, type Row } from './table.ts';

const ARTICLES = 24_576;
const WORDS = 60_000;
/** How often the n-th word comes falls as in languages (Zipf). */
const wordAt = (at: number) => `word${Math.floor(WORDS ** at).toString(36)}`;
const sentence = (random: () => number, words: number) =>
  Array.from({ length: words }, () => wordAt(random())).join(' ');

/** What a post adds for *Earlier here*, and what finds it: the index, or reading all articles. */
export async function measureEarlier(bench: Bench): Promise<Row[]> {
  const { server, rounds, quick } = bench;
  await server.control.config('SET', 'appendfsync', 'no');
  const ranking = await server.openRanking();
  const needs = { ranking, subjectOf: ({ title }: Article) => title };
  const guild = guildId(1);
  const count = quick ? ARTICLES / 16 : ARTICLES;
  const ids = await fill(bench, ranking, guild, count);
  // The first script is loaded, and what is due of each post is done a moment later.
  await indexAll(needs, guildId(2), new AbortController().signal);
  await server.control.unlink(storeKeys(ranking, guild).due);
  const before = await bytesOf(server.control);
  const begun = process.cpuUsage();
  await indexAll(needs, guild, new AbortController().signal);
  const all = milliseconds(begun);
  const bytes = ((await bytesOf(server.control)) - before) / count;
  const random = randomFrom(5);
  const anyOf = () => ids[Math.floor((0.5 + random() / 2) * ids.length)]!;
  const results = await race(
    [
      {
        name: 'index',
        slice: () => processTime(20, () => posted(needs, server.control, guild, anyOf())),
      },
      { name: 'all', slice: () => processTime(1, () => readAll(needs, guild, anyOf())) },
    ],
    quick ? 1 : Math.min(rounds, 9),
  );
  const ours = median(results.index);
  return [
    {
      what: 'process time a post adds for what was here before, at 24 576 articles',
      of: `index and search; to index all of them ${round(all / 1000)} s`,
      result: ours,
      unit: 'ms',
      limits: { atLeast: 2, aim: 1 },
    },
    {
      what: 'the same by reading all articles',
      of: `${round(median(results.all))} ms, by the index ${round(ours)} ms`,
      result: ratio(results, 'all', 'index'),
      unit: '×',
      limits: { atLeast: 50, aim: 200 },
    },
    {
      what: 'bytes that the index adds an article',
      of: '8 words of a title, 20 of a description',
      result: bytes,
      unit: 'B',
      limits: { atLeast: 1000, aim: 800 },
    },
  ];
}

async function fill(
  { clock }: Bench,
  ranking: Ranking,
  guild: Snowflake,
  count: number,
): Promise<Snowflake[]> {
  const random = randomFrom(3);
  const ids: Snowflake[] = [];
  const now = clock.now();
  await repeat(count, 64, async () => {
    const article = newArticle(guild, ids.length, { count, now });
    ids.push(article.id);
    const link = `https://site${Math.floor(4000 ** random())}.example/${ids.length}/page`;
    const description = sentence(random, 20);
    const title = sentence(random, 8);
    await postArticle(ranking, { ...article, title, link, linkName: link });
    await writePreview(ranking, guild, article.id, { description });
  });
  return ids;
}

/** As after a post: it is not indexed yet. */
async function posted(
  needs: SubjectsNeeds,
  control: Redis,
  guild: Snowflake,
  id: Snowflake,
): Promise<void> {
  await control.hdel(guildKeys(needs.ranking, guild).subjects, id);
  await indexArticle(needs, guild, id);
  await findEarlier(needs, guild, id, () => true);
}

/** Without an index: every article is read, and compared. */
async function readAll({ ranking }: SubjectsNeeds, guild: Snowflake, id: Snowflake): Promise<void> {
  const found: Article[] = [];
  const list = { guild, order: 'time' } as const;
  let compare: ReturnType<typeof comparedWith> | undefined;
  for await (const articles of walkList(ranking, list, Infinity)) {
    const previews = await readPreviews(
      ranking,
      guild,
      articles.map((one) => one.id),
    );
    for (const [n, article] of articles.entries()) {
      const about = { ...previews[n], title: article.title, link: article.link };
      compare ??= comparedWith(about, { articles: ARTICLES, of: () => 5 });
      if (article.id < id && compare(about) !== null) found.push(article);
    }
  }
}

/** The mean time of this process, in ms. */
async function processTime(times: number, step: () => Promise<unknown>): Promise<number> {
  const begun = process.cpuUsage();
  for (let n = 0; n < times; n += 1) await step();
  return milliseconds(begun) / times;
}

function milliseconds(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
