import { guildKeys } from './keys.ts';
import type { Ranking } from './ranking.ts';
import type { Direction } from './row.ts';
import type { Snowflake } from './snowflake.ts';

export type Voter = {
  vote: Direction;
  /** The opposite reaction is shown as well, and is the older. */
  older: boolean;
};

/** Who has voted on an open article, the poster not among them. One round trip. */
export async function readVoters(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
): Promise<Map<Snowflake, Voter>> {
  const keys = guildKeys(ranking.applicationId, guild);
  const [voters, both] = await Promise.all([
    ranking.redis.smembers(keys.voters(article)),
    ranking.redis.smembers(keys.older(article)),
  ]);
  const showsBoth = new Set(both);
  return new Map(
    voters.map((signed) => {
      const down = signed.startsWith('-');
      const member = down ? signed.slice(1) : signed;
      return [member, { vote: down ? 'down' : 'up', older: showsBoth.has(member) }];
    }),
  );
}

/** One member's vote on an open article, null for none. */
export async function readVoter(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  member: Snowflake,
): Promise<Voter | null> {
  const keys = guildKeys(ranking.applicationId, guild);
  const [[up, down], older] = await Promise.all([
    ranking.redis.smismember(keys.voters(article), member, `-${member}`) as Promise<
      [number, number]
    >,
    ranking.redis.sismember(keys.older(article), member),
  ]);
  if (up === 0 && down === 0) return null;
  return { vote: up === 1 ? 'up' : 'down', older: older === 1 };
}
