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
import { blockValues, subjectsText } from '../community/block-texts.ts';
import { translate } from '../text/catalogue.ts';
import { type Act, logAction } from '../community/moderation-log.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
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
  /** Takes away the reactions of a member who may not vote any more. */
  takenAwayReactions: TakenAwayReactions;
  /** The votes are retracted as one of them. */
  tasks: TaskQueue;
}

export type Several<T> = readonly [T, ...T[]];

/**
 * Blocks members, sites or words, in addition to earlier blocks, and returns the resulting blocks. Retracts the
 * open votes of members who may not vote any more.
 */
export async function blockBy(
  needs: BlockNeeds,
  by: GuildMember,
  subjects: Several<BlockSubject>,
  wanted: Omit<Block, 'by' | 'subject'>,
): Promise<Several<Block>> {
  for (const subject of subjects) {
    const refusal = await refusalToBlock(by, subject);
    if (refusal !== null) throw new UserError(`mod.block.${refusal}`);
  }
  const [first, ...more] = subjects;
  const blocks: [Block, ...Block[]] = [await blockOne(needs, by, { ...wanted, subject: first })];
  try {
    for (const subject of more) blocks.push(await blockOne(needs, by, { ...wanted, subject }));
  } finally {
    // Also where the guild has no room for all.
    await logAction(needs, { by, reason: wanted.reason }, (locale, who) =>
      translate(locale, 'audit.block', { ...blockValues(locale, ...blocks), by: who }),
    );
  }
  return blocks;
}

async function blockOne(
  needs: BlockNeeds,
  by: GuildMember,
  wanted: Omit<Block, 'by'>,
): Promise<Block> {
  const guild = by.guild.id;
  const { subject } = wanted;
  const block = united(await readBlock(needs.store, guild, subject), { ...wanted, by: by.id });
  const { status } = await writeBlock(needs.store, guild, block);
  if (status === 'full') throw new UserError('mod.block.full', { most: BLOCKS_AT_MOST });
  await needs.rules.refresh(guild, { block: subject });
  // Pages show nothing of it.
  needs.ranking.changes.note(guild);
  if (subject.kind === 'member' && block.voting) {
    const { member } = subject;
    // In the background: there can be thousands of open articles.
    needs.tasks.add(`votes of ${member} in ${guild}`, () => retractVotes(needs, guild, member));
  }
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
  subjects: Several<BlockSubject>,
  act: Act,
): Promise<'deleted' | 'unknown'> {
  const guild = act.by.guild.id;
  const isOwn = (subject: BlockSubject) =>
    subject.kind === 'member' && subject.member === act.by.id;
  if (subjects.some(isOwn)) throw new UserError('mod.block.own');
  const lifted: BlockSubject[] = [];
  for (const subject of subjects) {
    const { status } = await deleteBlock(needs.store, guild, subject);
    if (status === 'unknown') continue;
    await needs.rules.refresh(guild, { block: subject });
    lifted.push(subject);
  }
  if (lifted.length === 0) return 'unknown';
  needs.ranking.changes.note(guild);
  const subject = subjectsText(lifted);
  await logAction(needs, act, (locale, by) => translate(locale, 'audit.unblock', { by, subject }));
  return 'deleted';
}
