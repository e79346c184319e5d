import { setTimeout as pause } from 'node:timers/promises';
import type { APIMessage } from 'discord.js';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { isOutage } from '../../redis/errors.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Watch } from '../seen-reactions.ts';
import { listsOf } from './counts.ts';
import { deleteGone } from './gone-articles.ts';
import { type Doubt, takeNewer } from './newer-message.ts';
import { type Compare, isYoung, type Step } from './plan.ts';
import { type Recount, reportUnread } from './recount.ts';
import { recountArticle } from './recount-article.ts';
import { repairMessage } from './repair-message.ts';

/** Does what a recount plans about the articles of one channel. */
export interface Executor {
  /**
   * Carries out the plan of a page, with the events since it was requested. Lists are read meanwhile, and those
   * that can wait at the end. What fails for one article stops no other; without Redis it throws.
   */
  carryOut(plan: readonly Step[], watches: ReadonlyMap<Snowflake, Watch>): Promise<void>;
  /** Resolves when all lists are read, also those that contradicted the events of the last moments. */
  end(): Promise<void>;
}

/** An article whose lists are to be read. */
type Lists = {
  article: Article;
  /** Null: it is to be requested. */
  message: APIMessage | null;
  /** The events since the message was requested, until its lists are read; undefined: not recorded. */
  watch?: Watch | undefined;
  /** The message says otherwise than the article, and may be newer. */
  doubt?: Doubt;
  /** The message is written anew afterwards: its ★ follows from its votes. */
  isFormOther?: boolean;
  /** They can wait until those of changed articles are read. */
  isLater?: boolean;
};

/** A recount of one channel. */
type Work = {
  recount: Recount;
  channel: Snowflake;
  /** To be read again when Discord's answers have caught up with its gateway. */
  unsettled: Article[];
};

export function openExecutor(recount: Recount, channel: Snowflake): Executor {
  const { needs, options, report } = recount;
  const work: Work = { recount, channel, unsettled: [] };
  let reading = Promise.resolve();
  const later: Lists[] = [];
  return {
    async carryOut(plan, watches) {
      const needless = new Map(watches);
      try {
        for (const step of plan) {
          try {
            const lists = await take(work, step, watches.get(step.id));
            if (lists === null) continue;
            needless.delete(step.id);
            if (lists.isLater === true) later.push(lists);
            else reading = reading.then(() => readLists(work, lists));
          } catch (fault) {
            if (isOutage(fault) || needs.stopping.aborted) throw fault;
            reportUnread(recount, fault, [step.id], channel);
          }
        }
      } finally {
        for (const watch of needless.values()) watch.end();
      }
    },
    async end() {
      await reading;
      for (const lists of later) await readLists(work, lists);
      if (options.once !== true) await readUnsettled(work);
      report.unsettled.push(...work.unsettled.map(({ id }) => id));
    },
  };
}

/** Takes one step. Returns the lists that are to be read; null: none. */
async function take(
  { recount, channel, unsettled }: Work,
  step: Step,
  watch: Watch | undefined,
): Promise<Lists | null> {
  const { needs, guild, report } = recount;
  switch (step.kind) {
    case 'nothing':
      return null;
    case 'report unread':
      reportUnread(recount, step.error, [step.id], channel);
      return null;
    case 'report hidden':
      report.hidden.push(step.id);
      return null;
    case 'wait':
      unsettled.push(step.article);
      return null;
    case 'delete':
      await deleteArticle(recount, step.article);
      return null;
    case 'take in anew': {
      const article = await needs.takeInAnew(guild, step.message);
      return article && { article, message: step.message, watch };
    }
    case 'compare':
      return compare(recount, step, watch);
    default:
      return step satisfies never;
  }
}

async function deleteArticle({ needs, guild, report }: Recount, article: Article): Promise<void> {
  if ((await deleteGone(needs, guild, article)) === 'deleted') report.gone += 1;
}

async function compare(
  { needs, guild }: Recount,
  { article, message, isNewer, isFormOther, lists }: Compare,
  watch: Watch | undefined,
): Promise<Lists | null> {
  const { id } = article;
  const doubt = isNewer ? { doubt: { sinceMs: performance.now() } } : {};
  const hasChanged = (watch?.members.size ?? 0) > 0;
  await repairMessage(needs, guild, article, { message, hasChanged });
  for (const list of listsOf(message, article.signs)) {
    // 👍 and 👎 beside signs of the article's own are variants, which are noted after those alone.
    if (list.count > 0 || article.signs) needs.seen.noteVariant({ article: id, ...list });
  }
  if (lists !== 'no') {
    return { article, message, watch, isFormOther, isLater: lists === 'later', ...doubt };
  }
  if (isFormOther) needs.messageUpdates.note(guild, id);
  needs.unread.forget(id);
  return null;
}

async function readLists({ recount, channel, unsettled }: Work, lists: Lists): Promise<void> {
  const { needs, guild, report } = recount;
  const { article, doubt, watch } = lists;
  const { id } = article;
  try {
    if (recount.isAway) {
      report.unread.push(id);
      return;
    }
    // Before its votes, of which one can make its message be written anew.
    if (doubt !== undefined) await takeNewer(needs, guild, article, doubt);
    const current = doubt === undefined ? article : await readArticle(needs.ranking, guild, id);
    if (current === null || (doubt !== undefined && current.closed)) return;
    const counts = doubt === undefined ? { message: lists.message, watch } : { message: null };
    const outcome = await needs.recountInTurn(id, () =>
      recountArticle(needs, guild, current, { watch: undefined, ...counts, report }),
    );
    needs.unread.forget(id);
    if (lists.isFormOther === true) needs.messageUpdates.note(guild, id);
    const { clock, seen } = needs;
    const isLagging = isYoung(id, { now: clock.now(), lagMs: seen.lagMs });
    if (outcome === 'gone' && !isLagging) await deleteArticle(recount, article);
    else if (outcome !== 'done') unsettled.push(article);
  } catch (error) {
    reportUnread(recount, error, [id], channel);
  } finally {
    watch?.end();
  }
}

/** The times that an article is read again whose lists contradict the events of the last moments. */
const READ_AGAIN_AT_MOST = 3;

/** Reads articles again when Discord's answers have caught up with its gateway. */
async function readUnsettled(work: Work): Promise<void> {
  const { seen, stopping } = work.recount.needs;
  for (let tries = 0; tries < READ_AGAIN_AT_MOST && work.unsettled.length > 0; tries += 1) {
    await pause(seen.lagMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) break;
    for (const article of work.unsettled.splice(0)) {
      await readLists(work, { article, message: null });
    }
  }
}
