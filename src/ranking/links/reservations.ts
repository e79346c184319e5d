import { hash } from 'node:crypto';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';
import { canonicalOf } from './parse.ts';

/** The lifetime of a reservation. */
const RESERVATION_MS = 60_000;

type ReserveOutcome =
  | { status: 'reserved' }
  | { status: 'known'; article: Snowflake }
  | { status: 'posting' }
  | { status: 'expired'; by: Snowflake };

type Reservation = {
  guild: Snowflake;
  linkName: string;
  /** The interaction that posts. */
  by: Snowflake;
};

/**
 * Reserves a link before its message is sent. `postArticle` commits the reservation.
 * A reservation that is older than 60 s and was not committed is `expired`: its message may exist. Take
 * it in, then reserve again with the expired one's `by` as `from`.
 */
export async function reserveLink(
  ranking: Ranking,
  { guild, linkName, by, from = '' }: Reservation & { from?: Snowflake | undefined },
  now: number,
): Promise<ReserveOutcome> {
  const { links, postings } = guildKeys(ranking, guild);
  const [status, detail] = await scripts.reserveLink(
    ranking.redis,
    links,
    postings,
    linkHashOf(linkName),
    by,
    now,
    RESERVATION_MS,
    from,
  );
  if (status === 'known') return { status, article: String(detail) };
  return status === 'expired' ? { status, by: String(detail) } : { status };
}

/** Releases a reserved link. Call it only if the message was certainly not sent. */
export async function releaseLink(
  ranking: Ranking,
  { guild, linkName, by }: Reservation,
): Promise<void> {
  const { postings } = guildKeys(ranking, guild);
  await scripts.releaseLink(ranking.redis, postings, linkHashOf(linkName), by);
}

/** Allows a link to be posted again while its article stays. */
export async function freeLink(
  ranking: Ranking,
  { guild, linkName, article }: { guild: Snowflake; linkName: string; article: Snowflake },
): Promise<void> {
  const { links } = guildKeys(ranking, guild);
  await scripts.releaseLink(ranking.redis, links, linkHashOf(linkName), article);
}

/** The article to which a link name belongs. */
export async function findByLink(
  ranking: Ranking,
  guild: Snowflake,
  linkName: string,
): Promise<Snowflake | null> {
  return ranking.redis.hget(guildKeys(ranking, guild).links, linkHashOf(linkName));
}

/**
 * The names of an article's link in the index, to try in this order. The last name belongs to the
 * article alone, so that every article has one.
 */
export function linkNames({
  id,
  link,
  home,
  listed,
}: Pick<Article, 'id' | 'link' | 'home' | 'listed'>): string[] {
  const canonical = canonicalOf(link);
  return [...namesInChannel(home, canonical, listed), `${id} ${canonical}`];
}

/**
 * The names that a channel's articles can have for a link, to try in this order. A listed channel uses
 * the guild's name, which is the link itself; its own only if an article that the poster may not view
 * has the guild's. A hidden channel uses only its own, so that its articles neither block a post
 * elsewhere nor become visible there. No two names are equal, since a link contains no space.
 */
export function namesInChannel(channel: Snowflake, canonical: string, listed: boolean): string[] {
  const own = `${channel} ${canonical}`;
  return listed ? [canonical, own] : [own];
}

/** 96 bits: with ten million links the chance of any collision is 10⁻¹⁵. */
export function linkHashOf(linkName: string): string {
  return hash('sha256', linkName, 'base64url').slice(0, 16);
}
