import type { GuildMember, Role } from 'discord.js';
import { isApiError } from '../discord/api-errors.ts';
import {
  type Block,
  BLOCKS_AT_MOST,
  deleteBlock,
  readBlock,
  united,
  writeBlock,
} from '../community/blocks.ts';
import type { BlockSubject } from '../community/block-subject.ts';
import { UserError } from '../discord/user-error.ts';
import { blockValues, subjectText } from '../community/block-texts.ts';
import { translate } from '../text/catalogue.ts';
import { type Act, logAction } from '../community/moderation-log.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
import type { MessageUpdates } from '../articles/messages/message-updates.ts';
import type { TaskQueue } from '../discord/requests/tasks.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { TakenAwayReactions } from '../votes/events/taken-away-reactions.ts';
import { retractVotes } from '../votes/retract-votes.ts';

/** What changes of blocks need. */
export interface BlockNeeds extends LogChannelNeeds {
  /** Where the blocks are. */
  store: Store;
  /** The votes of a member who may not vote any more are retracted in it. */
  ranking: Ranking;
  /** Discord's time. */
  clock: Clock;
  /** Edits the messages of articles that lost a vote. */
  messageUpdates: MessageUpdates;
  /** Takes away the reactions of a member who may not vote any more. */
  takenAwayReactions: TakenAwayReactions;
  /** The votes are retracted as one of them. */
  tasks: TaskQueue;
}

/**
 * Blocks a member or an origin, in addition to an earlier block, and returns the resulting block. Retracts
 * the open votes of a member who may not vote any more.
 */
export async function blockBy(
  needs: BlockNeeds,
  by: GuildMember,
  more: Omit<Block, 'by'>,
): Promise<Block> {
  const guild = by.guild.id;
  const { subject, reason } = more;
  const refusal = await refusalToBlock(by, subject);
  if (refusal !== null) throw new UserError(`mod.block.${refusal}`);
  const block = united(await readBlock(needs.store, guild, subject), { ...more, by: by.id });
  const { status } = await writeBlock(needs.store, guild, block);
  if (status === 'full') throw new UserError('mod.block.full', { most: BLOCKS_AT_MOST });
  await needs.rules.refresh(guild, { block: subject });
  if (subject.kind === 'member' && block.voting) {
    const { member } = subject;
    // In the background: there can be thousands of open articles.
    needs.tasks.add(`votes of ${member} in ${guild}`, () => retractVotes(needs, guild, member));
  }
  await logAction(needs, { by, reason }, (locale, who) =>
    translate(locale, 'audit.block', { ...blockValues(locale, block), by: who }),
  );
  return block;
}

/**
 * The reason why a member may not block this subject: it is the member, or somebody above. Where Discord
 * must be asked and may not be, the subject counts as above.
 */
export async function refusalToBlock(
  by: GuildMember,
  subject: BlockSubject,
  mayAsk = () => true,
): Promise<'own' | 'above' | null> {
  const { guild } = by;
  if (subject.kind !== 'member') return null;
  const { member: target } = subject;
  if (target === by.id) return 'own';
  if (target === guild.ownerId) return 'above';
  const isHigher = (role: Role) => role.comparePositionTo(by.roles.highest) > 0;
  if (by.id === guild.ownerId || !guild.roles.cache.some(isHigher)) return null;
  if (!mayAsk()) return 'above';
  const member = await guild.members.fetch(target).catch((error: unknown) => {
    if (isApiError(error, 'UnknownMember', 'UnknownUser')) return null;
    throw error;
  });
  return member !== null && isHigher(member.roles.highest) ? 'above' : null;
}

export async function unblockBy(
  needs: BlockNeeds,
  subject: BlockSubject,
  act: Act,
): Promise<'deleted' | 'unknown'> {
  const guild = act.by.guild.id;
  if (subject.kind === 'member' && subject.member === act.by.id)
    throw new UserError('mod.block.own');
  const { status } = await deleteBlock(needs.store, guild, subject);
  if (status === 'deleted') {
    await needs.rules.refresh(guild, { block: subject });
    await logAction(needs, act, (locale, by) =>
      translate(locale, 'audit.unblock', { by, subject: subjectText(subject) }),
    );
  }
  return status;
}
