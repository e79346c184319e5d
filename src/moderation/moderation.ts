import type { BlockSubject } from '../community/block-subject.ts';
import type { GuildMember, NonThreadGuildBasedChannel } from 'discord.js';
import type { Block } from '../community/blocks.ts';
import type { Act } from '../community/moderation-log.ts';
import type { Article } from '../ranking/row.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import {
  type ActionNeeds,
  answerComment,
  answerLock,
  answerMove,
  answerRestore,
  answerRetitle,
  type Moderating,
} from './actions.ts';
import { removalKind } from './as-one.ts';
import { answerRemove, answerRemoveAll, answerUndo } from './removal.ts';
import type { RemovalWish } from './removal-form.ts';
import { moderatedLinksOf, removedOf, stillHere } from './sweep.ts';
import { openMessages } from '../messages/messages.ts';
import { refreshReports, type ReportReason } from '../community/stored-reports.ts';
import {
  leaveReported,
  openReports,
  reportArticle,
  type Reported,
  reportersText,
  reportKind,
  requireReportable,
} from './reports.ts';
import { blockBy, type BlockNeeds, type Several, unblockBy } from './change-blocks.ts';

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
    act: Pick<Act, 'own'> & Partial<RemovalWish>,
  ): Promise<void>;
  /** Undoes a removal with all that was done besides, by its time (ms). */
  undo(
    interaction: Moderating,
    removal: { atMs: number; member: Snowflake | null; site: Snowflake | null },
  ): Promise<void>;
  /** The articles of a poster that this moderator may moderate, the newest first. */
  linksOf(by: GuildMember, poster: Snowflake): Promise<Article[]>;
  /** How many of them were removed by moderators in the last 90 days. */
  removedOf(by: GuildMember, poster: Snowflake): Promise<number>;
  /** What of some blocks is still here, of what this moderator may remove. */
  stillHere(by: GuildMember, blocks: readonly Block[]): Promise<Article[]>;
  /** Removes several articles as one act, and answers. */
  removeAll(interaction: Moderating, articles: readonly Article[], reason: string): Promise<void>;
  /** Undoes the removal of the article with this id. */
  restore(interaction: Moderating, article: Snowflake): Promise<void>;
  /** Stops the voting on an article, or opens it again. */
  lock(interaction: Moderating, article: Article, locked: boolean): Promise<void>;
  /** Refuses, with the reason, what this member cannot report. */
  requireReportable(by: GuildMember, article: Pick<Article, 'id' | 'poster'>): Promise<void>;
  /** Notes a member's report, and has moderators see it. */
  report(
    by: GuildMember,
    article: Pick<Article, 'id' | 'poster'>,
    reason: ReportReason,
  ): Promise<void>;
  /** The reported articles about which this moderator may decide and nobody has, the last reported first. */
  openReports(by: GuildMember): Promise<Reported[]>;
  /** Who reported an article, and why: for its moderators alone. */
  reporters(guild: Snowflake, article: Snowflake, locale: string): Promise<string>;
  /** Leaves a reported article as it is. */
  leave(by: GuildMember, article: Article): Promise<void>;
  /** Has moderators see what became of a reported article that is gone. */
  noteGone(guild: Snowflake, article: Snowflake): Promise<void>;
  /** Gives an article another home group. */
  move(interaction: Moderating, article: Article, home: NonThreadGuildBasedChannel): Promise<void>;
  /** Gives an article another title, as it was typed. */
  retitle(interaction: Moderating, article: Article, typed: string): Promise<void>;
  /** Gives an article another comment of its poster, as it was typed; empty: none. */
  comment(interaction: Moderating, article: Article, typed: string): Promise<void>;
  /** Blocks members, sites or words, in addition to earlier blocks, and returns the resulting blocks. */
  block(
    by: GuildMember,
    subjects: Several<BlockSubject>,
    block: Omit<Block, 'by' | 'subject'>,
  ): Promise<Several<Block>>;
  /** Lifts the blocks of some subjects. `unknown`: there was none. */
  unblock(subjects: Several<BlockSubject>, act: Act): Promise<'deleted' | 'unknown'>;
}

export function openModeration(needs: ModerationNeeds): Moderation {
  needs.due.handle(reportKind({ ...needs, channels: openMessages(needs) }));
  needs.due.handle(removalKind(needs));
  return {
    requireReportable: (by, article) => requireReportable(needs, by, article),
    report: (by, article, reason) => reportArticle(needs, by, article, reason),
    openReports: (by) => openReports(needs, by),
    reporters: (guild, article, locale) => reportersText(needs, guild, article, locale),
    leave: (by, article) => leaveReported(needs, by, article),
    noteGone: (guild, article) => refreshReports(needs, guild, [article]),
    remove: (interaction, article, act) => answerRemove(interaction, needs, article, act),
    undo: (interaction, removal) => answerUndo(interaction, needs, removal),
    linksOf: (by, poster) => moderatedLinksOf(needs, by, poster),
    removedOf: (by, poster) => removedOf(needs, by, poster),
    stillHere: (by, blocks) => stillHere(needs, by, blocks),
    removeAll: (interaction, articles, reason) =>
      answerRemoveAll(interaction, needs, articles, reason),
    restore: (interaction, article) => answerRestore(interaction, needs, article),
    lock: (interaction, article, locked) => answerLock(interaction, needs, article, locked),
    move: (interaction, article, home) => answerMove(interaction, needs, article, home),
    retitle: (interaction, article, typed) => answerRetitle(interaction, needs, article, typed),
    comment: (interaction, article, typed) => answerComment(interaction, needs, article, typed),
    block: (by, subjects, block) => blockBy(needs, by, subjects, block),
    unblock: (subjects, act) => unblockBy(needs, subjects, act),
  };
}
