import { GuildMemberFlags, type GuildMember } from 'discord.js';
import { timestamp } from '../../text/mentions.ts';
import { UserError } from '../user-error.ts';

/**
 * Refuses a member who may only read now: one who is timed out or quarantined, or who has not passed the
 * server's screening. Discord refuses their messages and reactions, but a command, or an older button or form,
 * still reaches the bot. It relies on what Discord says of the member with that interaction or message.
 */
export function requireActive(member: GuildMember, now: number): void {
  const untilMs = timedOutUntilMs(member);
  if (untilMs > now) {
    throw new UserError('member.timeout', { until: timestamp(untilMs, 'f') });
  }
  if (member.pending) throw new UserError('member.pending');
  if (isQuarantined(member)) throw new UserError('member.quarantined');
}

/** AutoMod may have blocked their name or tag, which takes all but reading from them until they change it. */
function isQuarantined({ flags, permissions }: GuildMember): boolean {
  return (
    !permissions.has('Administrator') &&
    flags.any([
      GuildMemberFlags.AutomodQuarantinedUsernameOrGuildNickname,
      GuildMemberFlags.AutoModQuarantinedGuildTag,
    ])
  );
}

/**
 * The end of a member's timeout, which may be past; 0 without one. A timeout does nothing to administrators,
 * also to who became one after it began.
 */
export function timedOutUntilMs(member: GuildMember): number {
  if (member.permissions.has('Administrator')) return 0;
  return member.communicationDisabledUntilTimestamp ?? 0;
}
