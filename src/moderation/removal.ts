/** What is removed, alone or with what is done besides, and comes back as one. */

import type { GuildMember } from 'discord.js';
import { isImported } from '../articles/imported.ts';
import type { Article } from '../ranking/row.ts';
import { readRemoved, removeArticle } from '../ranking/articles/removed.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { requireUnblocked } from '../articles/posting/posting-rules.ts';
import {
  isSharedEnding,
  memberSubject,
  subjectKey,
  type SubjectKind,
} from '../community/block-subject.ts';
import { blockValues } from '../community/block-texts.ts';
import { type Block, BLOCK_SCOPES, holds, readBlock } from '../community/blocks.ts';
import type { Act } from '../community/moderation-log.ts';
import { DAY_MS } from '../runtime/clock.ts';
import { NONE } from '../discord/commands/checked-options.ts';
import { UserError } from '../discord/user-error.ts';
import { button, row } from '../discord/interactions/components.ts';
import { translate } from '../text/catalogue.ts';
import {
  type ActionNeeds,
  answerDone,
  type ArticleAction,
  type Moderating,
  report,
  titleText,
} from './actions.ts';
import { blockBy, unblockBy } from './change-blocks.ts';
import { answerReports } from './reports.ts';
import { type RemovalWish, siteOf } from './removal-form.ts';
import { mayModerateServer } from './may-moderate.ts';
import { endRemoval, removeAsOne, timeOfAct } from './as-one.ts';
import { logMany } from './log-many.ts';
import { moderatedLinksOf, restoreAll } from './sweep.ts';

/** Removes an article from all lists and replaces its message with a tombstone. */
export const answerRemove: ArticleAction<Pick<Act, 'own'> & Partial<RemovalWish>> = async (
  interaction,
  needs,
  article,
  { own = false, reason = '', also = new Set(), days = null },
) => {
  const { guildId, locale, member } = interaction;
  const atMs = await timeOfAct(needs, guildId);
  // Before anything is done, so that nothing is done by halves.
  if ((also.has('poster') || also.has('site')) && !mayModerateServer(member))
    throw new UserError('mod.forbidden');
  const links = also.has('others') ? await moderatedLinksOf(needs, member, article.poster) : [];
  const found = links.filter(({ id }) => id !== article.id);
  const { status } = await removeArticle(needs.ranking, guildId, article.id, atMs, own);
  if (status === 'unchanged') throw new UserError('mod.removed.already');
  if (status === 'unknown') throw new UserError('article.unknown');
  const act = { by: member, reason, own };
  await sayBefore(interaction, found.length);
  const removesMany = found.length > 0;
  const many = removesMany
    ? removeAsOne(needs, member, [article, ...found], { atMs, reason })
    : answerReports(needs, guildId, [article.id]).then(() => [article]);
  // Nobody reads on while the log channel waits for its limit.
  const [blocked, shown, all] = await Promise.all([
    // At once, since whoever is blocked may go on posting.
    blockBesides(needs, member, article, { atMs, reason, also, days }),
    showRemoval(needs, article, act),
    many,
    own && report(needs, article, act, 'removed'),
    !own && !removesMany && logMany(needs, [article], act, 'removed'),
  ]);
  const others = all.filter(({ id }) => id !== article.id);
  const lines = [titleText(article), removedText(locale, own, blocked.blocks)];
  if (others.length > 0)
    lines.push(translate(locale, 'mod.removed.others', { count: others.length }));
  for (const block of blocked.blocks)
    lines.push(translate(locale, 'mod.blocked', blockValues(locale, block)));
  if (blocked.refusal !== null) lines.push(blocked.refusal.inLanguageOf(locale));
  const more = removedMore[shown];
  if (more !== null) lines.push(translate(locale, more));
  const isMore = others.length + blocked.blocks.length > 0;
  const undo = isMore
    ? undoButton(locale, atMs, blocked.fresh, article)
    : button(`moderate|restore|${article.id}`, translate(locale, 'moderate.restore'));
  await answerDone(interaction, lines.join('\n'), own ? [] : [row(undo)]);
};

function removedText(locale: string, own: boolean, blocks: readonly Block[]): string {
  if (own) return translate(locale, 'me.removed');
  const isSiteBlocked = blocks.some(({ subject }) => subject.kind === 'site');
  return translate(locale, isSiteBlocked ? 'mod.removed.blocked' : 'mod.removed');
}

/**
 * Blocks what the form asked for besides, since the time of the removal, by which an undoing knows its blocks again:
 * a further block has a later time. `fresh`: the kinds of which there was no block before. `refusal`: why the others
 * were not made.
 */
async function blockBesides(
  needs: ActionNeeds,
  by: GuildMember,
  { poster, link }: Article,
  { atMs: sinceMs, reason, also, days }: RemovalWish & { atMs: number },
): Promise<{ blocks: Block[]; fresh: Set<SubjectKind>; refusal: UserError | null }> {
  const site = also.has('site') ? siteOf(link) : null;
  const untilMs = days === null ? null : sinceMs + days * DAY_MS;
  const wanted = [
    ...(also.has('poster') ? [{ subject: memberSubject(poster), untilMs }] : []),
    ...(site !== null && !isSharedEnding(site) ? [{ subject: site, untilMs: null }] : []),
  ];
  const blocks: Block[] = [];
  const fresh = new Set<SubjectKind>();
  try {
    for (const { subject, ...until } of wanted) {
      const block = { ...BLOCK_SCOPES.post, reason, sinceMs, ...until };
      const before = (await needs.rules.read(by.guild.id)).blocks.get(subjectKey(subject));
      const isFresh = !holds(before, sinceMs);
      blocks.push(...(await blockBy(needs, by, [subject], block)));
      if (isFresh) fresh.add(subject.kind);
    }
    return { blocks, fresh, refusal: null };
  } catch (error) {
    if (error instanceof UserError) return { blocks, fresh, refusal: error };
    throw error;
  }
}

/** Undoes all of it as one. A block that was there before stays. */
function undoButton(
  locale: string,
  atMs: number,
  fresh: ReadonlySet<SubjectKind> = new Set(),
  { id, poster }: Pick<Article, 'id' | 'poster'> = { id: NONE, poster: NONE },
) {
  const member = fresh.has('member') ? poster : NONE;
  const site = fresh.has('site') ? id : NONE;
  const customId = ['moderate', 'undo', atMs, member, site].join('|');
  return button(customId, translate(locale, 'moderate.undo'));
}

/** Lifts the blocks of a removal, but not where somebody blocked further since, and restores all that it removed. */
export async function answerUndo(
  interaction: Moderating,
  needs: ActionNeeds,
  { atMs, member, site }: { atMs: number; member: Snowflake | null; site: Snowflake | null },
): Promise<void> {
  const { guildId, locale, member: by } = interaction;
  await requireUnblocked(needs, by);
  // While its site is blocked, it stays removed.
  const ofSite = site === null ? null : await readRemoved(needs.ranking, guildId, site);
  const subjects = [
    ...(member === null ? [] : [memberSubject(member)]),
    ...(ofSite === null ? [] : [siteOf(ofSite.article.link)]),
  ].filter((subject) => subject !== null);
  if (subjects.length > 0 && !mayModerateServer(by)) throw new UserError('mod.forbidden');
  const blocked = await Promise.all(
    subjects.map((subject) => readBlock(needs.store, guildId, subject)),
  );
  const [first, ...more] = subjects.filter((_, i) => blocked[i]?.sinceMs === atMs);
  const lifted = first === undefined ? 'unknown' : await unblockBy(needs, [first, ...more], { by });
  await endRemoval(needs, by, atMs);
  const restored = await restoreAll(needs, by, atMs);
  if (restored.length > 0) await logMany(needs, restored, { by }, 'restored');
  const blocks = lifted === 'deleted' ? 1 + more.length : 0;
  const values = { count: restored.length, blocks };
  await answerDone(interaction, translate(locale, 'mod.undone', values));
}

/** Nobody waits longer without a word: as many are removed within a second. */
const AT_ONCE = 500;

/**
 * Says that very many are being removed. What was done is said in its place, or in a further answer where the press
 * was on a message that others see.
 */
async function sayBefore(interaction: Moderating, count: number): Promise<void> {
  if (count <= AT_ONCE) return;
  await answerDone(interaction, translate(interaction.locale, 'mod.removing', { count }));
}

/** Removes several articles as one act. */
export async function answerRemoveAll(
  interaction: Moderating,
  needs: ActionNeeds,
  articles: readonly Article[],
  reason: string,
): Promise<void> {
  const { guildId, locale, member: by } = interaction;
  const atMs = await timeOfAct(needs, guildId);
  await sayBefore(interaction, articles.length);
  const removed =
    articles.length > 0 ? await removeAsOne(needs, by, articles, { atMs, reason }) : [];
  const text = translate(locale, 'mod.removed.all', { count: removed.length });
  await answerDone(interaction, text, removed.length > 0 ? [row(undoButton(locale, atMs))] : []);
}

const removedMore = { removed: null, unedited: 'mod.unedited', foreign: 'mod.imported' } as const;

/** `foreign`: the message stays, because an imported article's message belongs to its poster. */
export async function showRemoval(
  needs: ActionNeeds,
  { id }: Article,
  { by, reason = '' }: Act,
): Promise<keyof typeof removedMore> {
  const guild = by.guild.id;
  if (await isImported(needs.store, guild, id)) return 'foreign';
  return (await needs.messageUpdates.showRemoval(guild, id, reason)) ? 'removed' : 'unedited';
}
