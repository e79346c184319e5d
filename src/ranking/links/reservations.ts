import { hash } from 'node:crypto';
import { scanHash } from '../../redis/scan.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

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

/**
 * Releases the links that were reserved at or before `untilMs` and not committed. Call it after the
 * search for messages that such postings may have left.
 */
export async function sweepReservations(
  ranking: Ranking,
  guild: Snowflake,
  untilMs: number,
): Promise<void> {
  const { postings } = guildKeys(ranking, guild);
  for await (const [linkHash, posting] of scanHash(ranking.redis, postings)) {
    const [by = '', since] = posting.split(' ');
    if (Number(since) > untilMs) continue;
    // The script does nothing if another interaction holds the link now.
    await scripts.releaseLink(ranking.redis, postings, linkHash, by);
  }
}

/** The article to which a link name belongs. */
export async function findByLink(
  ranking: Ranking,
  guild: Snowflake,
  linkName: string,
): Promise<Snowflake | null> {
  return ranking.redis.hget(guildKeys(ranking, guild).links, linkHashOf(linkName));
}

/** 96 bits: with ten million links the chance of any collision is 10⁻¹⁵. */
export function linkHashOf(linkName: string): string {
  return hash('sha256', linkName, 'base64url').slice(0, 16);
}
