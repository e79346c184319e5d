import { DAY_MS } from '../../runtime/clock.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { guildKeys } from '../keys.ts';
import { type Of, walkPosted } from '../lists/ranked.ts';
import type { Ranking } from '../ranking.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import { ENOUGH_CLOSED, type KnownVotes } from './fit-mark.ts';

/** The mark goes by the articles that closed in the last 30 days. */
const CLOSED_WITHIN_MS = 30 * DAY_MS;
/** Of the closed ones and of those in voting, the newest. */
const MOST_OF_EACH = 10_000;

/** Of the listed articles of the last 30 days, how many are interesting. One round trip. */
export async function readStarredShare(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<{ starred: number; of: number }> {
  const { interesting, time } = guildKeys(ranking, guild);
  const from = Math.ceil((now - CLOSED_WITHIN_MS) / 1000);
  const [starred, of] = await Promise.all(
    [interesting, time].map((key) => ranking.redis.zcount(key, from, '+inf')),
  );
  return { starred: starred!, of: of! };
}

/** The up votes of a guild's listed articles, or of a group's, as `fittedMark` needs them. */
export async function readVotesKnown(
  ranking: Ranking,
  of: Of,
  now: number,
): Promise<Omit<KnownVotes, 'members'>> {
  const closedFromMs = now - VOTING_OPEN_MS;
  const ups = async (fromMs: number, untilMs: number) => {
    const found: number[] = [];
    const period = { ...of, fromMs, untilMs };
    for await (const articles of walkPosted(ranking, period, MOST_OF_EACH)) {
      for (const { up } of articles) found.push(up);
    }
    return found;
  };
  const closed = await ups(closedFromMs - CLOSED_WITHIN_MS, closedFromMs);
  const isEnough = closed.length >= ENOUGH_CLOSED;
  return { closed, inVoting: isEnough ? [] : await ups(closedFromMs, Infinity) };
}
