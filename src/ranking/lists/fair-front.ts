import { setTimeout as pause } from 'node:timers/promises';
import { releaseLease, takeLease } from '../../redis/lease.ts';
import { guildKeys, type GuildKeys } from '../keys.ts';
import type { Page } from './ranked.ts';
import { readRanks } from './read-range.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeRow } from '../row.ts';
import { FRONT_SIZE, VOTING_OPEN_MS, weightOf } from '../rules.ts';
import { secondsOf, type Snowflake, snowflakeTimeMs } from '../snowflake.ts';

/** The order expires this long after it was filled or last extended. */
const LIFETIME_SECONDS = 600;
/** A read in the last 60 s before the expiry extends it. */
const EXTENSION_SECONDS = 60;
/** A longer filling counts as failed. */
const FILL_MS = 20_000;
const WAIT_MS = 25;
/** Articles that one step of filling reads or adds. */
const BATCH = 100;
/** Filling reads at most this many articles, the newest. */
const CANDIDATES = 20_000;

/**
 * A page of the front order: the guild's listed articles, fair between groups.
 *
 * A vote weighs weight × √(mean volume ÷ the group's volume), where a group's volume is the number
 * of up and down votes on its articles of the last week. Reddit's front page likewise divided each
 * subreddit's hotness by the subreddit's own best (`normalized_hot` of its published source). The
 * square root reduces the effect, so that quiet groups do not displace loud ones. In addition, no
 * group takes more than 7 of any 10 consecutive places while another has articles left.
 *
 * The order keeps 200 articles. One process fills it on first use while the others wait. Published
 * changes update it. It expires after ten minutes without a read, and is then filled again.
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

/** One process fills the order while the others wait for it. */
async function keepFront(ranking: Ranking, keys: GuildKeys, now: number): Promise<void> {
  const { redis } = ranking;
  for (let waitedMs = 0; waitedMs < FILL_MS; waitedMs += WAIT_MS) {
    const left = await redis.ttl(keys.front);
    if (left > EXTENSION_SECONDS) return;
    if (left >= 0) {
      await redis.expire(keys.front, LIFETIME_SECONDS);
      return;
    }
    const taken = await takeLease(ranking, { key: keys.fillLease, ms: FILL_MS }, now + waitedMs);
    if (taken.status === 'taken') {
      try {
        // Another process may have filled it between the check and the lease.
        if ((await redis.exists(keys.front)) === 0) await fill(ranking, keys, now);
      } finally {
        await releaseLease(ranking, taken.lease);
      }
      return;
    }
    await pause(WAIT_MS);
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

/** The weight factor of a vote in each group, as text; `new` is for groups without articles so far. */
function loudnessOf(volumes: ReadonlyMap<Snowflake, number>): Record<string, string> {
  const factors = voteFactors(volumes);
  const quietest = Math.max(1, ...factors.values());
  return Object.fromEntries([...factors, ['new', quietest]].map(([k, f]) => [k, String(f)]));
}

/** The weight factor of a vote in each group, from the group's number of votes. */
function voteFactors(volumes: ReadonlyMap<Snowflake, number>): Map<Snowflake, number> {
  const mean = [...volumes.values()].reduce((sum, volume) => sum + volume, 0) / volumes.size;
  return new Map(
    [...volumes].map(([group, volume]) => [group, Math.sqrt(mean / Math.max(1, volume))]),
  );
}

/**
 * Sorts a selection of articles, such as those of a day, as the guild's front order does. The volume
 * of a group is its number of votes in this selection.
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

/** Keeps the order, but allows at most seven of ten consecutive articles from one group while others are left. */
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
