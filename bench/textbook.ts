import type { Redis } from 'ioredis';
import type { Direction } from '../src/ranking/row.ts';

/**
 * Article voting as the books have it, in sequential commands: one article a hash, its voters in a
 * key of its own for a week, two sorted sets, and group pages intersected on read and stored for 60 s.
 * Votes go up and down, so a hash holds each voter's direction.
 */

const WEEK_SECONDS = 604_800;
const VOTE_SECONDS = 432;
const PAGE = 25;
const GROUP_PAGE_SECONDS = 60;

type TextbookArticle = Record<string, string>;

/** False where voting is over or the vote is an old one. */
export async function vote(
  redis: Redis,
  { article, member, vote }: { article: string; member: string; vote: Direction },
  nowSeconds: number,
): Promise<boolean> {
  const postedAt = await redis.zscore('time:', article);
  if (postedAt === null || Number(postedAt) < nowSeconds - WEEK_SECONDS) return false;
  const voters = votersOf(article);
  const before = await redis.hget(voters, member);
  if (before === vote) return false;
  const change = (vote === 'up' ? 1 : -1) * (before === null ? 1 : 2);
  await redis.hset(voters, member, vote);
  await redis.zincrby('score:', change * VOTE_SECONDS, article);
  await redis.hincrby(article, 'votes', change);
  return true;
}

/** The same five commands as one script, which separates the cost of round trips from the cost of work. */
export const VOTE_SCRIPT = `
local posted = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not posted or tonumber(posted) < tonumber(ARGV[4]) then return 0 end
local before = redis.call('HGET', KEYS[2], ARGV[2])
if before == ARGV[3] then return 0 end
local change = (ARGV[3] == 'up' and 1 or -1) * (before and 2 or 1)
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('ZINCRBY', KEYS[3], change * ${VOTE_SECONDS}, ARGV[1])
redis.call('HINCRBY', KEYS[4], 'votes', change)
return 1
`;

/** Keys and arguments for `VOTE_SCRIPT`. */
export function scriptArguments(
  { article, member, vote }: { article: string; member: string; vote: Direction },
  nowSeconds: number,
): [string, string, string, string, string, string, string, number] {
  const oldest = nowSeconds - WEEK_SECONDS;
  return ['time:', votersOf(article), 'score:', article, article, member, vote, oldest];
}

export async function post(
  redis: Redis,
  { poster, title, link }: { poster: string; title: string; link: string },
  nowSeconds: number,
): Promise<string> {
  const article = `article:${await redis.incr('article:')}`;
  const voters = votersOf(article);
  await redis.hset(voters, poster, 'up');
  await redis.expire(voters, WEEK_SECONDS);
  await redis.hmset(article, { title, link, poster, time: nowSeconds, votes: 1 });
  await redis.zadd('score:', nowSeconds + VOTE_SECONDS, article);
  await redis.zadd('time:', nowSeconds, article);
  return article;
}

export async function addToGroup(redis: Redis, article: string, group: string): Promise<void> {
  await redis.sadd(groupOf(group), article);
}

export async function page(
  redis: Redis,
  number: number,
  { key = 'score:' }: { key?: string } = {},
): Promise<TextbookArticle[]> {
  const start = (number - 1) * PAGE;
  const ids = await redis.zrevrange(key, start, start + PAGE - 1);
  const articles: TextbookArticle[] = [];
  for (const id of ids) articles.push({ ...(await redis.hgetall(id)), id });
  return articles;
}

export async function groupPage(
  redis: Redis,
  group: string,
  number: number,
): Promise<TextbookArticle[]> {
  const key = groupPageOf(group);
  if ((await redis.exists(key)) === 0) {
    await redis.zinterstore(key, 2, groupOf(group), 'score:', 'AGGREGATE', 'MAX');
    await redis.expire(key, GROUP_PAGE_SECONDS);
  }
  return page(redis, number, { key });
}

export function votersOf(article: string): string {
  return `voted:${article.slice('article:'.length)}`;
}

export function groupOf(group: string): string {
  return `group:${group}`;
}

/** Where a group's page is stored for 60 s; cold is one that is not. */
export function groupPageOf(group: string): string {
  return `score:${group}`;
}
