import { z } from 'zod';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Direction, Vote } from '../row.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import { secondsOf, type Snowflake, snowflakeTimeMs } from '../snowflake.ts';
import type { TallyOutcome } from './votes.ts';

/** Why a vote does not count. */
export const REASONS = ['blocked', 'account', 'member', 'role', 'limit'] as const;
export type Reason = (typeof REASONS)[number];

export type Discount = {
  reason: Reason;
  /** From when on it counts (ms), as far as that is known. */
  untilMs: number | null;
  /** When the member joined (ms), where the gateway said so. */
  joinedAtMs: number | null;
};

/** What a member shows whose vote does not count. */
export type Uncounted = Discount & { vote: Direction; older: boolean };

export type DiscountOutcome = TallyOutcome | { status: 'poster' };

type Ballot = { guild: Snowflake; article: Snowflake; member: Snowflake };

/**
 * A member's vote does not count: what was known of it leaves the tally and is remembered. `shown`:
 * the member shows this reaction now as well. One round trip; idempotent.
 * Taking a reaction back is `showReaction`'s, whether the vote counts or not.
 */
export async function discountVote(
  ranking: Ranking,
  ballot: Ballot & Discount & { shown?: Direction },
  now: number,
): Promise<DiscountOutcome> {
  const { shown } = ballot;
  return discount(ranking, ballot, shown === undefined ? '' : letterOf(shown), '', now);
}

/** The same for what a recount found: the member shows exactly this. `none` forgets the entry. */
export async function setUncounted(
  ranking: Ranking,
  ballot: Ballot & Discount & { vote: Vote; older?: boolean },
  now: number,
): Promise<DiscountOutcome> {
  const { vote, older } = ballot;
  if (vote === 'none') return discount(ranking, ballot, '', '1', now);
  const newest = letterOf(vote);
  return discount(ranking, ballot, older ? (newest === 'u' ? 'du' : 'ud') : newest, '1', now);
}

/** A vote that did not count does so from now on. One round trip; idempotent. */
export async function countVote(
  ranking: Ranking,
  { guild, article, member }: Ballot,
  now: number,
): Promise<TallyOutcome> {
  if (isOver(article, now)) return { status: 'closed' };
  const keys = guildKeys(ranking.applicationId, guild);
  const reply = await ranking.redis.countVote(
    ...keys.ballots(article),
    keys.uncounted(article),
    article,
    member,
    secondsOf(article),
  );
  return outcome(ranking, guild, article, reply) as TallyOutcome;
}

/** The votes on an open article that do not count. What cannot be read is left out. */
export async function readUncounted(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
): Promise<Map<Snowflake, Uncounted>> {
  const keys = guildKeys(ranking.applicationId, guild);
  const stored = await ranking.redis.hgetall(keys.uncounted(article));
  return new Map(
    Object.entries(stored).flatMap(([member, text]) => {
      const parsed = zEntry.safeParse(text);
      return parsed.success ? [[member, parsed.data] as const] : [];
    }),
  );
}

const zEntry = z
  .string()
  .regex(/^(u|d|ud|du) [a-z]+ \d+ \d+$/)
  .transform((text, context): Uncounted => {
    const [shown = '', why, until, joined] = text.split(' ');
    const reason = REASONS.find((known) => known === why);
    if (!reason) {
      context.addIssue({ code: 'custom', message: 'unknown reason' });
      return z.NEVER;
    }
    return {
      vote: shown.endsWith('u') ? 'up' : 'down',
      older: shown.length === 2,
      reason,
      untilMs: Number(until) || null,
      joinedAtMs: Number(joined) || null,
    };
  });

async function discount(
  ranking: Ranking,
  ballot: Ballot & Discount,
  shown: string,
  exactly: '' | '1',
  now: number,
): Promise<DiscountOutcome> {
  const { guild, article, member, reason, untilMs, joinedAtMs } = ballot;
  if (isOver(article, now)) return { status: 'closed' };
  const keys = guildKeys(ranking.applicationId, guild);
  const reply = await ranking.redis.discountVote(
    ...keys.ballots(article),
    keys.uncounted(article),
    article,
    member,
    secondsOf(article),
    shown,
    exactly,
    `${reason} ${untilMs ?? 0} ${joinedAtMs ?? 0}`,
  );
  return outcome(ranking, guild, article, reply);
}

function outcome(
  { changes }: Ranking,
  guild: Snowflake,
  article: Snowflake,
  [status, up, down]: (string | number | null)[],
): DiscountOutcome {
  if (status === 'counted') {
    changes.note(guild, article);
    return { status, up: Number(up), down: Number(down) };
  }
  return { status: status as 'unchanged' | 'closed' | 'locked' | 'unknown' | 'poster' };
}

function isOver(article: Snowflake, now: number): boolean {
  return now >= snowflakeTimeMs(article) + VOTING_OPEN_MS;
}

function letterOf(direction: Direction): 'u' | 'd' {
  return direction === 'up' ? 'u' : 'd';
}
