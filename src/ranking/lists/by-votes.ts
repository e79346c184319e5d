import { readArticles } from '../articles/articles.ts';
import { guildKeys } from '../keys.ts';
import type { Page } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import { VOTES_SIZE, VOTING_OPEN_MS } from '../rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../snowflake.ts';

export const PERIODS = ['day', 'week', 'month', 'ever'] as const;
export type Period = (typeof PERIODS)[number];

const DAY_MS = 86_400_000;

/** An article is closed at most this long after its closing time. */
const LATEST_CLOSING_MS = DAY_MS;

/** The length of each period, which ends now; a month has 30 days. */
export const LENGTH_MS: Record<Period, number> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  ever: Number.POSITIVE_INFINITY,
};

/** Rows that one step reads on the server. */
const STEP = 500;

type Tally = { id: Snowflake; net: number };

/**
 * The articles posted in a period by net votes, best first, ties newest first.
 * Closed articles are in rankings by votes; open articles are read and merged here, so that a vote has
 * no extra work. The work grows with a week's posts, not with the guild.
 * At most 1 000 articles, and for a month at most 200 of each day.
 */
export async function listByVotes(
  ranking: Ranking,
  list: { guild: Snowflake; group?: Snowflake; period: Period; page: number; pageSize: number },
  now: number,
): Promise<Page> {
  const { guild, group, period, page, pageSize } = list;
  if (page < 1 || pageSize < 1) return { articles: [], total: 0 };
  const fromMs = now - LENGTH_MS[period];
  // Articles posted before this are in the rankings by votes.
  const openSinceMs = now - VOTING_OPEN_MS - LATEST_CLOSING_MS;
  const [open, closed] = await Promise.all([
    readOpen(ranking, guild, group, Math.max(fromMs, openSinceMs)),
    fromMs < openSinceMs ? readClosed(ranking, guild, group, period, now) : [],
  ]);
  // An article that was closed just now can be in both.
  const byId = new Map([...closed, ...open].map((tally) => [tally.id, tally]));
  const inPeriod = [...byId.values()].filter(({ id }) => snowflakeTimeMs(id) > fromMs);
  const best = inPeriod.sort(byNetVotes).slice(0, VOTES_SIZE);
  const shown = best.slice((page - 1) * pageSize, page * pageSize);
  const articles = await readArticles(
    ranking,
    guild,
    shown.map(({ id }) => id),
  );
  return { articles: articles.filter((article) => article !== null), total: best.length };
}

async function readOpen(
  ranking: Ranking,
  guild: Snowflake,
  group: Snowflake | undefined,
  fromMs: number,
): Promise<Tally[]> {
  const keys = guildKeys(ranking.applicationId, guild);
  const times = group ? keys.timeOf(group) : keys.time;
  const from = Math.floor(fromMs / 1000);
  const tallies: Tally[] = [];
  for (let offset = 0; ; offset += STEP) {
    const reply = await ranking.redis.readTallies(times, keys.articles, from, offset, STEP);
    for (let i = 1; i < reply.length; i += 2) {
      tallies.push({ id: String(reply[i]), net: Number(reply[i + 1]) });
    }
    if (reply.length - 1 < 2 * STEP) return tallies;
  }
}

async function readClosed(
  ranking: Ranking,
  guild: Snowflake,
  group: Snowflake | undefined,
  period: Period,
  now: number,
): Promise<Tally[]> {
  const keys = guildKeys(ranking.applicationId, guild);
  const suffix = group ? `:${group}` : '';
  if (period === 'ever') return readTop(ranking, keys.votes + suffix);
  const lastDay = Math.floor((now - VOTING_OPEN_MS) / DAY_MS);
  const firstDay = Math.floor((now - LENGTH_MS[period]) / DAY_MS);
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, i) => firstDay + i);
  const tops = await Promise.all(days.map((day) => readTop(ranking, keys.days + day + suffix)));
  return tops.flat();
}

async function readTop(ranking: Ranking, key: string): Promise<Tally[]> {
  const reply = await ranking.redis.zrevrange(key, '0', String(VOTES_SIZE - 1), 'WITHSCORES');
  const tallies: Tally[] = [];
  for (let i = 0; i < reply.length; i += 2) {
    tallies.push({ id: reply[i]!, net: Number(reply[i + 1]) });
  }
  return tallies;
}

/** Ties: the greater id first, as in Redis in descending order. */
function byNetVotes(a: Tally, b: Tally): number {
  return b.net - a.net || (a.id < b.id ? 1 : -1);
}
