import type { BlockSubject } from '../community/block-subject.ts';
import type { GuildMember, NonThreadGuildBasedChannel } from 'discord.js';
import type { Block } from '../community/blocks.ts';
import type { Act } from '../community/moderation-log.ts';
import type { Article } from '../ranking/row.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import {
  type ActionNeeds,
  answerLock,
  answerMove,
  answerRemove,
  answerRestore,
  answerRetitle,
  type Moderating,
} from './actions.ts';
import { blockBy, type BlockNeeds, unblockBy } from './change-blocks.ts';

export interface ModerationNeeds extends ActionNeeds, BlockNeeds {}

/**
 * What moderators do, and posters with their own articles. Each act with an article is reported in the
 * guild's log channel and answers the interaction. The caller has checked that the member may do it.
 */
export interface Moderation {
  /** Removes an article from all lists and replaces its message with a tombstone. */
  remove(
    interaction: Moderating,
    article: Article,
    act: Pick<Act, 'own' | 'reason'>,
  ): Promise<void>;
  /** Undoes the removal of the article with this id. */
  restore(interaction: Moderating, article: Snowflake): Promise<void>;
  /** Stops the voting on an article, or opens it again. */
  lock(interaction: Moderating, article: Article, locked: boolean): Promise<void>;
  /** Gives an article another home group. */
  move(interaction: Moderating, article: Article, home: NonThreadGuildBasedChannel): Promise<void>;
  /** Gives an article another title, as it was typed. */
  retitle(interaction: Moderating, article: Article, typed: string): Promise<void>;
  /** Blocks a member or a site, in addition to an earlier block, and returns the resulting block. */
  block(by: GuildMember, more: Omit<Block, 'by'>): Promise<Block>;
  /** Lifts the block of a subject. */
  unblock(subject: BlockSubject, act: Act): Promise<'deleted' | 'unknown'>;
}

export function openModeration(needs: ModerationNeeds): Moderation {
  return {
    remove: (interaction, article, act) => answerRemove(interaction, needs, article, act),
    restore: (interaction, article) => answerRestore(interaction, needs, article),
    lock: (interaction, article, locked) => answerLock(interaction, needs, article, locked),
    move: (interaction, article, home) => answerMove(interaction, needs, article, home),
    retitle: (interaction, article, typed) => answerRetitle(interaction, needs, article, typed),
    block: (by, more) => blockBy(needs, by, more),
    unblock: (subject, act) => unblockBy(needs, subject, act),
  };
}
