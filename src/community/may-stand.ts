/** What may stand in an article by the guild's blocks: asked wherever one is made, changed or shown again. */

import type { GuildBasedChannel, GuildMember } from 'discord.js';
import { isListed } from '../discord/access/visibility.ts';
import { UserError } from '../discord/user-error.ts';
import { translate } from '../text/catalogue.ts';
import { code, titleOfLink } from '../text/clean.ts';
import { shortHost } from '../text/facts.ts';
import { type LogChannelNeeds } from './admin-messages.ts';
import { reasonText, subjectText, untilText } from './block-texts.ts';
import type { SubjectKind } from './block-subject.ts';
import { hasWords } from './blocked-words.ts';
import { type Block, type Blocks, holds, memberBlock, siteBlock } from './blocks.ts';
import type { MemberLimits } from './member-limits.ts';
import { logAction } from './moderation-log.ts';
import { spellings } from './spellings.ts';
import type { Article } from '../ranking/row.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Clock } from '../runtime/clock.ts';

/** What somebody wants to stand in an article. What is left out is not judged. */
export type Wanted = {
  poster?: Snowflake;
  link?: { href: string };
  /** The title and the comment. */
  texts?: readonly string[];
};

/** What of an article is judged anew: its link and texts. Its poster is judged where it is posted. */
export function wantedOf({
  link,
  title,
  comment = '',
}: Pick<Article, 'link' | 'title' | 'comment'>): Pick<Wanted, 'link' | 'texts'> {
  return { link: { href: link }, texts: [title, comment] };
}

/** The block that holds for it. `tangled`: the link contains too many addresses to judge. */
export type Refusal = Block | 'tangled';

type Judge = (blocks: Blocks, wanted: Wanted, now: number) => Refusal | null;

/** None of them is asked whether somebody may vote. */
const judges: Record<SubjectKind, Judge> = {
  member(blocks, { poster }, now) {
    const block = poster === undefined ? undefined : memberBlock(blocks, poster);
    return holds(block, now) && block.posting ? block : null;
  },
  site: (blocks, { link }, now) => (link === undefined ? null : siteBlock(blocks, link, now)),
  words: (blocks, { texts = [] }, now) => wordsBlock(blocks, texts, now),
};

/** Why it may not stand in an article; null if it may. */
export function refusalOf(blocks: Blocks, wanted: Wanted, now: number): Refusal | null {
  for (const judge of Object.values(judges)) {
    const refusal = judge(blocks, wanted, now);
    if (refusal !== null) return refusal;
  }
  return null;
}

/**
 * What may still be shown to everybody of a guild: an article by its link and texts, and what Discord found. Both may
 * be older than a block.
 */
export function standingBy(
  blocks: Blocks,
  now: number,
): { article: (article: Article) => boolean; text: (text: string) => boolean } {
  if (blocks.size === 0) return { article: () => true, text: () => true };
  const isAllowed = (wanted: Wanted) => refusalOf(blocks, wanted, now) === null;
  return {
    article: (article) => isAllowed(wantedOf(article)),
    text: (text) => isAllowed({ texts: [text] }),
  };
}

/**
 * What may be promoted: digests, announcements and the board name it. What was blocked after it was posted, or whose
 * poster was, stays where it is alone.
 */
export function promotedBy(blocks: Blocks, now: number): (article: Article) => boolean {
  if (blocks.size === 0) return () => true;
  return (article) =>
    refusalOf(blocks, { poster: article.poster, ...wantedOf(article) }, now) === null;
}

function wordsBlock(blocks: Blocks, texts: readonly string[], now: number): Block | null {
  let read: ReturnType<typeof spellings> | undefined;
  for (const block of blocks.values()) {
    if (block.subject.kind !== 'words' || !holds(block, now)) continue;
    read ??= texts.flatMap(spellings);
    if (hasWords(read, block.subject.words)) return block;
  }
  return null;
}

/**
 * A link's title: what a member gave, which is judged when it is posted. Else what Discord found or the address,
 * if it may stand; at last the host alone.
 */
export function titleOf(
  blocks: Blocks,
  href: string,
  { given, found = '' }: { given: string; found?: string },
  now: number,
): string {
  if (given !== '') return given;
  const mayStand = (title: string) => refusalOf(blocks, { texts: [title] }, now) === null;
  const titles = [found, titleOfLink(href)].filter((title) => title !== '');
  return titles.find(mayStand) ?? shortHost(href);
}

/** What a refusal says to the member. It repeats no blocked word. */
export function refusalError(refusal: Refusal): UserError {
  if (refusal === 'tangled') return new UserError('post.refused.malformed');
  const { subject, untilMs } = refusal;
  const reason = reasonText(refusal.reason);
  switch (subject.kind) {
    case 'member':
      return new UserError('post.refused.blocked', { reason, until: untilText(untilMs) });
    case 'site':
      return new UserError('post.refused.origin', { origin: subjectText(subject), reason });
    case 'words':
      return new UserError('post.refused.words', { reason });
    default:
      return subject satisfies never;
  }
}

export interface MayStandNeeds extends LogChannelNeeds {
  /** So that nobody fills the log. */
  memberLimits: MemberLimits;
  /** Discord's time. */
  clock: Clock;
}

/** Refuses what may not stand in an article of this channel. Moderators see in the log which words were refused. */
export async function requireMayStand(
  needs: MayStandNeeds,
  by: GuildMember,
  home: GuildBasedChannel | undefined,
  wanted: Wanted,
): Promise<void> {
  const guild = by.guild.id;
  const { blocks } = await needs.rules.read(guild);
  const refusal = refusalOf(blocks, wanted, needs.clock.now());
  if (refusal === null) return;
  const isOfWords = refusal !== 'tangled' && refusal.subject.kind === 'words';
  if (isOfWords && needs.memberLimits.count('refused', guild, by.id) === 0) {
    const words = subjectText(refusal.subject);
    // What is written in a hidden channel is not for everyone who reads the log.
    const text = isListed(home) ? code((wanted.texts ?? []).join(' – ')) : '–';
    void logAction(needs, { by }, (locale, who) =>
      translate(locale, 'audit.words', { by: who, words, text }),
    ).catch(() => {});
  }
  throw refusalError(refusal);
}
