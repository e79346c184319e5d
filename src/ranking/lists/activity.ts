import { DAY_MS } from '../../runtime/clock.ts';
import { LENGTH_MS, type Period } from './by-votes.ts';
import { LOOKED_THROUGH, walkNewest } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { hostWithoutWww } from './search-articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** The activity of a guild's listed articles, or of a group's, in the last `days` days: the newest 10 000. */
export async function readActivity(
  ranking: Ranking,
  of: { guild: Snowflake; group?: Snowflake },
  days: number,
  now: number,
) {
  const first = Math.floor(now / DAY_MS) - days + 1;
  const sum = {
    /** The articles of every day (UTC), the oldest first, today last. */
    days: Array.from({ length: days }, () => 0),
    articles: 0,
    /** Up and down votes, without the posters' own. */
    votes: 0,
    interesting: 0,
    best: null as Article | null,
  };
  const hosts = new Map<string, number>();
  const groups = new Map<Snowflake, number>();
  const posters = new Set<Snowflake>();
  for await (const articles of walkNewest(ranking, of, first * DAY_MS, LOOKED_THROUGH)) {
    for (const article of articles) {
      const { up, down, postedAtMs, link, home, poster, interesting } = article;
      // An id can be of the future.
      const day = Math.floor(postedAtMs / DAY_MS) - first;
      if (day < days) sum.days[day]! += 1;
      sum.articles += 1;
      sum.votes += up - 1 + down;
      if (interesting) sum.interesting += 1;
      if (!sum.best || up - down > sum.best.up - sum.best.down) sum.best = article;
      posters.add(poster);
      const host = hostWithoutWww(link);
      hosts.set(host, (hosts.get(host) ?? 0) + 1);
      groups.set(home, (groups.get(home) ?? 0) + 1);
    }
  }
  return { ...sum, posters: posters.size, hosts: most(hosts), groups: most(groups) };
}

/** The five with the most articles, each with their number. */
function most<T extends string>(counts: ReadonlyMap<T, number>): [T, number][] {
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 5);
}

/** A member with the number and net votes of the articles that the member posted in a period. */
type Poster = { member: Snowflake; articles: number; net: number };

/** At most this many articles are counted, the newest. */
const ADDED_UP = 100_000;

/**
 * The posters of a guild's listed articles by the net votes on their articles of a period, best first.
 * The poster's own vote on an article does not count. Posters without net votes are left out, and those with
 * one alone against whom others voted.
 */
export async function readLeaderboard(
  ranking: Ranking,
  guild: Snowflake,
  period: Period,
  now: number,
): Promise<Poster[]> {
  const posters = new Map<Snowflake, Poster & { downs: number }>();
  for await (const articles of walkNewest(ranking, { guild }, now - LENGTH_MS[period], ADDED_UP)) {
    for (const { poster: member, up, down } of articles) {
      const sum = posters.get(member) ?? { member, articles: 0, net: 0, downs: 0 };
      sum.articles += 1;
      sum.net += up - 1 - down;
      sum.downs += down;
      posters.set(member, sum);
    }
  }
  return (
    [...posters.values()]
      // Nobody is named last for one disputed link.
      .filter(({ net, downs }) => net > (downs > 0 ? 1 : 0))
      .sort((a, b) => b.net - a.net || b.articles - a.articles || (a.member < b.member ? -1 : 1))
      .map(({ member, articles, net }) => ({ member, articles, net }))
  );
}
