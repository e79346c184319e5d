import type { Snowflake } from '../ranking/snowflake.ts';

/** In a minute. A busy honest member never reaches it. */
export const VOTES_AT_MOST = 120;
const WINDOW_MS = 60_000;
const MEMBERS_AT_MOST = 50_000;

/**
 * Counts one more vote of a member and says whether it is beyond the limit. All reactions of a guild
 * reach one process, so a vote costs no request to Redis for this.
 */
type VoteLimit = (guild: Snowflake, member: Snowflake) => boolean;

export function openVoteLimit(): VoteLimit {
  const counts = new Map<string, { votes: number; sinceMs: number }>();
  return (guild, member) => {
    const key = `${guild}:${member}`;
    const now = performance.now();
    const known = counts.get(key);
    const count = known && now - known.sinceMs < WINDOW_MS ? known : { votes: 0, sinceMs: now };
    count.votes += 1;
    if (counts.size >= MEMBERS_AT_MOST) counts.clear();
    counts.set(key, count);
    return count.votes > VOTES_AT_MOST;
  };
}
