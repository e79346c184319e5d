import { type Clock, DAY_MS } from '../clock.ts';
import type { Client } from 'discord.js';
import { holds, memberSubject } from '../records/blocks.ts';
import { type Snowflake, snowflakeTimeMs } from '../ranking/snowflake.ts';
import type { GuildRules, Rules } from './guild-rules.ts';
import { type MemberFacts, readMemberFacts } from './members.ts';

/** Whether a vote of this member counts if it is given now. Unknown facts forbid nothing. */
export function mayVote(rules: Rules, member: MemberFacts, now: number): boolean {
  const { settings, blocks, optedOut } = rules;
  const block = blocks.get(memberSubject(member.id));
  if (optedOut.has(member.id) || (holds(block, now) && block.voting)) return false;
  if (tooYoung(rules, member, now)) return false;
  const voteRoles = settings['vote-roles'];
  return voteRoles.length === 0 || (member.roles?.some((role) => voteRoles.includes(role)) ?? true);
}

/** The reason why the account or the membership is too young, and its end; null if it is old enough. */
export function tooYoung(
  { settings }: Rules,
  { id, joinedAtMs }: Pick<MemberFacts, 'id' | 'joinedAtMs'>,
  now: number,
): { reason: 'account' | 'member'; untilMs: number } | null {
  const accountFromMs = snowflakeTimeMs(id) + settings['account-days'] * DAY_MS;
  if (settings['account-days'] > 0 && now < accountFromMs) {
    return { reason: 'account', untilMs: accountFromMs };
  }
  const memberFromMs = (joinedAtMs ?? -Infinity) + settings['member-days'] * DAY_MS;
  if (settings['member-days'] > 0 && now < memberFromMs) {
    return { reason: 'member', untilMs: memberFromMs };
  }
  return null;
}

/**
 * The members of this list who may vote, for a recount. A list of reactions contains neither roles nor
 * join times, so Discord is asked if the guild's rules need them. Members who have left may vote.
 */
export async function whoMayVote(
  app: { rules: GuildRules; client: Client; clock: Clock; stopping: AbortSignal },
  guild: Snowflake,
  members: readonly Snowflake[],
): Promise<Set<Snowflake>> {
  const rules = await app.rules.read(guild);
  const now = app.clock.now();
  const fit = members.filter((id) => mayVote(rules, { id, joinedAtMs: null, roles: null }, now));
  const { settings } = rules;
  const asksDiscord = settings['member-days'] > 0 || settings['vote-roles'].length > 0;
  if (!asksDiscord || fit.length === 0) return new Set(fit);
  const facts = await readMemberFacts(app, guild, fit);
  return new Set(
    fit.filter((id) => {
      const known = facts.get(id);
      return !known || mayVote(rules, known, now);
    }),
  );
}
