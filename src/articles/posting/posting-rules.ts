import type {
  GuildBasedChannel,
  GuildMember,
  GuildTextBasedChannel,
  NonThreadGuildBasedChannel,
} from 'discord.js';
import { refusalError, refusalOf } from '../../community/may-stand.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { tooYoung } from '../../community/may-vote.ts';
import { isGroup, type Rules, type GuildRules } from '../../community/guild-rules.ts';
import {
  permissionsIn,
  requirePermissions,
  type Permission,
} from '../../discord/access/permissions.ts';
import { requireActive } from '../../discord/access/active-member.ts';
import { mentions, timestamp } from '../../text/mentions.ts';
import { UserError } from '../../discord/user-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { MemberLimits } from '../../community/member-limits.ts';

export function postingPermissions(channel: GuildTextBasedChannel): Permission[] {
  return [
    'ViewChannel',
    channel.isThread() ? 'SendMessagesInThreads' : 'SendMessages',
    'EmbedLinks',
    'ReadMessageHistory',
    'AddReactions',
  ];
}

export type WantedPost = {
  poster: GuildMember;
  home: NonThreadGuildBasedChannel;
  /** The home group itself or a thread of it. */
  channel: Snowflake;
  link: { href: string; canonical: string };
  /** The groups besides the home group. A hidden article has none. */
  groups?: readonly Snowflake[];
  /** The poster found the link in what another wrote, and need not be allowed to write there. */
  isFound?: boolean;
};

/** Refuses, with the reason, a member that the guild does not want to post in this group. */
export function requireMayPost(
  rules: Rules,
  { poster, home, channel, groups = [], isFound = false }: WantedPost,
  now: number,
): void {
  // Discord asks no permission to send for a command.
  const sending = channel === home.id ? 'SendMessages' : 'SendMessagesInThreads';
  // First what the bot lacks: of a channel that it may not view, nothing else is known.
  requirePermissions(home, ['ViewChannel']);
  requirePermissions(home, isFound ? ['ViewChannel'] : ['ViewChannel', sending], poster);
  if (isFound) requireActive(poster, now);
  else requireMayWrite(poster, home.guild.channels.cache.get(channel), now);
  const { settings } = rules;
  for (const group of [home.id, ...groups]) {
    if (!isGroup(settings, group)) {
      const key = group === home.id ? 'post.refused.group' : 'post.refused.further';
      throw new UserError(key, { channel: `<#${group}>` });
    }
  }
  if (rules.optedOut.has(poster.id)) throw new UserError('privacy.out.posting');
  requireNoBlock(rules, poster.id, now);
  const young = tooYoung(rules, { id: poster.id, joinedAtMs: poster.joinedTimestamp }, now);
  if (young) {
    throw new UserError(`post.refused.${young.reason}`, { until: timestamp(young.untilMs, 'f') });
  }
  const wanted = settings['post-roles'];
  if (wanted.length > 0 && !poster.roles.cache.hasAny(...wanted)) {
    // A deleted role is no mention, and would tell the member nothing.
    const roles = wanted.filter((id) => home.guild.roles.cache.has(id));
    if (roles.length === 0) throw new UserError('post.refused.roles-gone');
    throw new UserError('post.refused.role', { roles: mentions('@&', roles) });
  }
}

/**
 * Refuses a member who may only read now, and a member in a locked thread without the permission to
 * manage threads. Discord refuses their messages, but a command or a form still reaches the bot.
 */
function requireMayWrite(
  poster: GuildMember,
  channel: GuildBasedChannel | undefined,
  now: number,
): void {
  requireActive(poster, now);
  if (!channel?.isThread() || channel.locked !== true) return;
  if (!permissionsIn(channel, poster)?.has('ManageThreads')) {
    throw new UserError('post.refused.locked', { thread: `<#${channel.id}>` });
  }
}

/** Refuses a member who may not post: other acts show an article again as well. */
export async function requireUnblocked(
  { rules, clock }: { rules: GuildRules; clock: Clock },
  { guild, id }: GuildMember,
): Promise<void> {
  requireNoBlock(await rules.read(guild.id), id, clock.now());
}

function requireNoBlock({ blocks }: Rules, member: Snowflake, now: number): void {
  const refusal = refusalOf(blocks, { poster: member }, now);
  if (refusal !== null) throw refusalError(refusal);
}

/**
 * Counts a posting toward the member's limit and refuses beyond it. Call the returned function if
 * nothing was posted: it undoes the count.
 */
export function countPosting(
  { memberLimits }: { memberLimits: MemberLimits },
  { settings }: Rules,
  { guild, id }: GuildMember,
): () => void {
  const most = settings['posts-per-hour'] || Number.POSITIVE_INFINITY;
  const waitMs = memberLimits.count('post', guild.id, id, most);
  if (waitMs > 0) {
    throw new UserError('post.refused.limit', { most, minutes: Math.ceil(waitMs / 60_000) });
  }
  return () => memberLimits.uncount('post', guild.id, id);
}
