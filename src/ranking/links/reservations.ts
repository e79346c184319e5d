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
  | { status: 'expired'; by: Snowflake; channel: Snowflake };

type Reservation = {
  guild: Snowflake;
  linkName: string;
  /** The interaction that posts. */
  by: Snowflake;
  /** The channel of the future message. */
  channel: Snowflake;
};

/**
 * Reserves a link before its message is sent. `postArticle` commits the reservation.
 * A reservation that is older than 60 s and was not committed is `expired`: its message may exist in
 * `channel`. Look for the message, then commit it or take over the reservation.
 */
export async function reserveLink(
  ranking: Ranking,
  reservation: Reservation,
  now: number,
): Promise<ReserveOutcome> {
  return reserve(ranking, reservation, '', now);
}

/** Like `reserveLink`, but replaces the expired reservation of the interaction `from`. */
export async function takeOverLink(
  ranking: Ranking,
  reservation: Reservation & { from: Snowflake },
  now: number,
): Promise<ReserveOutcome> {
  return reserve(ranking, reservation, reservation.from, now);
}

/** Releases a reserved link. Call it only if the message was certainly not sent. */
export async function releaseLink(
  ranking: Ranking,
  { guild, linkName, by }: Omit<Reservation, 'channel'>,
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
    const [by = '', , since] = posting.split(' ');
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

async function reserve(
  ranking: Ranking,
  { guild, linkName, by, channel }: Reservation,
  from: string,
  now: number,
): Promise<ReserveOutcome> {
  const { links, postings } = guildKeys(ranking, guild);
  const linkHash = linkHashOf(linkName);
  const [status, detail] = await scripts.reserveLink(
    ranking.redis,
    links,
    postings,
    linkHash,
    by,
    channel,
    now,
    RESERVATION_MS,
    from,
  );
  if (status === 'known') return { status, article: String(detail) };
  if (status !== 'expired') return { status };
  const [holder, where] = String(detail).split(' ');
  return { status, by: holder!, channel: where! };
}
