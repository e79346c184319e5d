import { type Client, DiscordAPIError, Routes } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { holds, memberSubject } from '../records/blocks.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../ranking/snowflake.ts';
import type { Discount, Uncounted } from '../ranking/ballots/uncounted.ts';
import type { GuildRules, Rules } from './guild-rules.ts';

const dayMs = 86_400_000;

/** What is known of a member who votes or posts. The account's age is in the id. */
export type MemberFacts = {
  id: Snowflake;
  /** null where Discord did not say. */
  joinedAtMs: number | null;
  /** null where Discord did not say. */
  roles: readonly Snowflake[] | null;
};

/** Why a member's vote does not count now, null where it does. What is not known is no reason. */
export function discountOf(rules: Rules, member: MemberFacts, now: number): Discount | null {
  const { settings, blocks } = rules;
  const { joinedAtMs } = member;
  const block = blocks.get(memberSubject(member.id));
  if (holds(block, now) && block.voting) {
    return { reason: 'blocked', untilMs: block.untilMs, joinedAtMs };
  }
  const age = youth(rules, member, now);
  if (age) return { ...age, joinedAtMs };
  const wanted = settings['vote-roles'];
  if (wanted.length > 0 && member.roles && !member.roles.some((role) => wanted.includes(role))) {
    return { reason: 'role', untilMs: null, joinedAtMs };
  }
  return null;
}

/** Whether the account or the membership is too young, and until when. */
export function youth(
  { settings }: Rules,
  { id, joinedAtMs }: Pick<MemberFacts, 'id' | 'joinedAtMs'>,
  now: number,
): { reason: 'account' | 'member'; untilMs: number } | null {
  const grownAtMs = snowflakeTimeMs(id) + settings['account-days'] * dayMs;
  if (settings['account-days'] > 0 && now < grownAtMs) {
    return { reason: 'account', untilMs: grownAtMs };
  }
  const settledAtMs = (joinedAtMs ?? -Infinity) + settings['member-days'] * dayMs;
  if (settings['member-days'] > 0 && now < settledAtMs) {
    return { reason: 'member', untilMs: settledAtMs };
  }
  return null;
}

/**
 * Whether a vote that did not count still does not: by what was stored with it, or by what Discord
 * says of the member now. Roles are not stored, and a limit ends by itself.
 */
export function stillDiscounted(
  rules: Rules,
  member: Snowflake,
  entry: Uncounted,
  now: number,
  found: MemberFacts = { id: member, joinedAtMs: entry.joinedAtMs, roles: null },
): Discount | null {
  const { reason, untilMs } = entry;
  const other = discountOf(rules, found, now);
  if (other) return other;
  if (reason === 'limit' && untilMs !== null && now < untilMs) return entry;
  if (reason !== 'role' || found.roles) return null;
  return rules.settings['vote-roles'].length > 0 ? entry : null;
}

/** Whether the rules are about what only Discord knows of a member. */
export function asksDiscord({ settings }: Rules): boolean {
  return settings['member-days'] > 0 || settings['vote-roles'].length > 0;
}

const zMember = z.object({
  joined_at: z.iso.datetime({ offset: true }),
  roles: z.array(zSnowflake),
});
const unknownMember = 10_007;

/**
 * The same for a member whom a recount found among the reactions, which tell neither roles nor when
 * somebody joined: where the guild asks for those, Discord is asked. Who has left counts.
 */
export async function discountInRecord(
  { rules, client, clock }: { rules: GuildRules; client: Client; clock: Clock },
  guild: Snowflake,
  member: Snowflake,
  entry: Uncounted | undefined,
): Promise<Discount | null> {
  const now = clock.now();
  const known = await rules.read(guild);
  if (entry) return stillDiscounted(known, member, entry, now);
  const standing = { id: member, joinedAtMs: null, roles: null };
  const blind = discountOf(known, standing, now);
  if (blind || !asksDiscord(known)) return blind;
  try {
    const found = zMember.parse(await client.rest.get(Routes.guildMember(guild, member)));
    const joinedAtMs = Date.parse(found.joined_at);
    return discountOf(known, { id: member, joinedAtMs, roles: found.roles }, now);
  } catch (error) {
    if (error instanceof DiscordAPIError && Number(error.code) === unknownMember) return null;
    throw error;
  }
}
