import { randomUUID } from 'node:crypto';
import { guildKeys, type GuildKeys } from '../keys.ts';
import type { Page } from './ranked.ts';
import { readRanks } from './read-range.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeRow } from '../row.ts';
import { FRONT_SIZE, VOTING_OPEN_MS, weightOf } from '../rules.ts';
import { secondsOf, type Snowflake, snowflakeTimeMs } from '../snowflake.ts';

/** How long the order is kept after it was filled or last extended. */
const LIFETIME_SECONDS = 600;
/** Read so shortly before its end, the order lives on. */
const EXTENSION_SECONDS = 60;
/** A filling that takes longer than this has died. */
const LOCK_MS = 20_000;
/** Articles that one step of filling reads or enters. */
const BATCH = 100;
/** Filling looks at no more articles than this, the newest. */
const CANDIDATES = 20_000;

/**
 * A page of the front order: the guild's listed articles, fair between groups.
 *
 * A vote weighs weight × √(mean volume ÷ the group's volume), where a group's volume is the number
 * of up and down votes on its articles of the last week: it is measured against how loud its own
 * group is, as Reddit's front page divided each subreddit's hotness by the subreddit's own best
 * (`normalized_hot` of its published source). The square root damps it, so that a quiet group does
 * not bury a loud one either. Then no group takes more than 7 of any 10 places while another has
 * articles left.
 *
 * The order keeps 200 articles. It is filled on first use by one process, the others wait for it;
 * changes are entered as they are told, and it is filled anew when nobody read it for ten minutes.
 */
export async function listFront(
  ranking: Ranking,
  list: { guild: Snowflake; page: number; pageSize: number },
  now: number,
): Promise<Page> {
  if (list.page < 1 || list.pageSize < 1) return { articles: [], total: 0 };
  const keys = guildKeys(ranking.applicationId, list.guild);
  await keepFront(ranking, keys, now);
  const front = await readRanks(ranking, list.guild, keys.front, 'desc', 0, FRONT_SIZE - 1);
  const start = (list.page - 1) * list.pageSize;
  const articles = spread(front.articles).slice(start, start + list.pageSize);
  return { articles, total: front.total };
}

/** Fills the front order anew, whether it is kept or not. */
export async function rebuildFront(ranking: Ranking, guild: Snowflake, now: number): Promise<void> {
  const keys = guildKeys(ranking.applicationId, guild);
  await ranking.redis.unlink(keys.front);
  await keepFront(ranking, keys, now);
}

async function keepFront(ranking: Ranking, keys: GuildKeys, now: number): Promise<void> {
  const { redis } = ranking;
  const token = randomUUID();
  const waitUntil = performance.now() + LOCK_MS;
  while (performance.now() < waitUntil) {
    const left = await redis.ttl(keys.front);
    if (left > EXTENSION_SECONDS) return;
    if (left >= 0) {
      await redis.expire(keys.front, LIFETIME_SECONDS);
      return;
    }
    if ((await redis.set(keys.fillLock, token, 'PX', LOCK_MS, 'NX')) === 'OK') {
      try {
        // Another process may have filled it between the look and the lock.
        if ((await redis.exists(keys.front)) === 0) await fill(ranking, keys, now);
      } finally {
        if ((await redis.get(keys.fillLock)) === token) await redis.del(keys.fillLock);
      }
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function fill(ranking: Ranking, keys: GuildKeys, now: number): Promise<void> {
  const { redis } = ranking;
  const candidates: Snowflake[] = [];
  const volumes = new Map<Snowflake, number>();
  while (candidates.length < CANDIDATES) {
    const ids = await redis.zrevrange(keys.time, candidates.length, candidates.length + BATCH - 1);
    if (ids.length === 0) break;
    const rows = await redis.hmget(keys.articles, ...ids);
    for (const text of rows) {
      const row = text === null ? null : decodeRow(text);
      if (!row) continue;
      const home = row.groups[0]!;
      volumes.set(home, (volumes.get(home) ?? 0) + row.up + row.down);
    }
    candidates.push(...ids);
    const oldest = snowflakeTimeMs(ids.at(-1)!);
    if (oldest < now - VOTING_OPEN_MS && candidates.length >= FRONT_SIZE) break;
  }
  if (candidates.length === 0) return;

  await redis.unlink(keys.filling, keys.loudness);
  await redis.hset(keys.loudness, loudnessOf(volumes));
  for (let i = 0; i < candidates.length; i += BATCH) {
    await redis.fillFront(
      keys.articles,
      keys.filling,
      keys.loudness,
      FRONT_SIZE,
      ...candidates.slice(i, i + BATCH).flatMap((article) => [article, secondsOf(article)]),
    );
  }
  await redis.multi().rename(keys.filling, keys.front).expire(keys.front, LIFETIME_SECONDS).exec();
}

/** What a vote weighs in each group, as text; `new` stands for a group that had no articles yet. */
function loudnessOf(volumes: ReadonlyMap<Snowflake, number>): Record<string, string> {
  const factors = voteFactors(volumes);
  const quietest = Math.max(1, ...factors.values());
  return Object.fromEntries([...factors, ['new', quietest]].map(([k, f]) => [k, String(f)]));
}

/** How much more or less than usual a vote weighs in each group, by how many votes the group has. */
function voteFactors(volumes: ReadonlyMap<Snowflake, number>): Map<Snowflake, number> {
  const mean = [...volumes.values()].reduce((sum, volume) => sum + volume, 0) / volumes.size;
  return new Map(
    [...volumes].map(([group, volume]) => [group, Math.sqrt(mean / Math.max(1, volume))]),
  );
}

/**
 * These articles in the front order, each group's votes measured against those that it has here.
 * As for the guild's own front page, but for a choice of articles, such as those of a day.
 */
export function inFrontOrder(articles: readonly Article[], mark: number): Article[] {
  const volumes = new Map<Snowflake, number>();
  for (const { home, up, down } of articles) {
    volumes.set(home, (volumes.get(home) ?? 0) + up + down);
  }
  const factors = voteFactors(volumes);
  const score = ({ id, home, up, down }: Article) =>
    secondsOf(id) + weightOf(mark) * (factors.get(home) ?? 1) * (up - down);
  return spread(articles.toSorted((a, b) => score(b) - score(a)));
}

const WINDOW = 10;
const MOST_OF_WINDOW = 7;

/** Keeps the order but for this: of any ten in a row at most seven are of one group, while there are others. */
export function spread(articles: readonly Article[]): Article[] {
  const left = [...articles];
  const spreadOut: Article[] = [];
  while (left.length > 0) {
    const recent = spreadOut.slice(-(WINDOW - 1));
    const fits = left.findIndex(
      ({ home }) => recent.filter((article) => article.home === home).length < MOST_OF_WINDOW,
    );
    spreadOut.push(...left.splice(Math.max(0, fits), 1));
  }
  return spreadOut;
}
