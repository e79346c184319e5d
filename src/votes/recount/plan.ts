import type { APIMessage } from 'discord.js';
import { compareMessage } from '../../articles/messages/compare-message.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { ReactionCounts } from '../../ranking/ballots/voters.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import type { LastReading } from '../seen-reactions.ts';
import { sourceOf } from '../sources.ts';
import { countsOf } from './counts.ts';
import type { Found } from './messages.ts';

/** An article of a page of counts: what Discord shows of it, beside what is known of it here. */
export type Counted = Found & {
  /** What Redis has; null: nothing. */
  stored: ReactionCounts | null;
  /** What the last reading of its lists says about its counts. */
  lastReading: LastReading;
  /** Somebody reacted since the page was requested, so its counts and the votes are from different moments. */
  hasChanged: boolean;
  /** The message is the bot's own. */
  isOwn: boolean;
  /** Its thread is archived, so that Discord takes no edit there. */
  isArchived: boolean;
};

/** What a recount does about one article. */
export type Step = { id: Snowflake } & (
  | { kind: 'nothing' }
  /** It could not be read, and stays as it is. */
  | { kind: 'report unread'; error: unknown }
  /** Somebody else's message stands in its place. */
  | { kind: 'report hidden' }
  /** Its message does not exist: an answer may be older than the message. */
  | { kind: 'wait'; article: Article }
  /** Its message does not exist. */
  | { kind: 'delete'; article: Article }
  /** Its message is another article's, so that Redis is wrong. */
  | { kind: 'take in anew'; message: APIMessage }
  | Compare
);

/** Its message is repaired, and its votes are made equal to its reactions. */
export type Compare = {
  kind: 'compare';
  article: Article;
  message: APIMessage;
  /** The message says otherwise than the article, and may be newer. */
  isNewer: boolean;
  /** The message has another form, such as another version's, or a ★ by other votes. */
  isFormOther: boolean;
  /**
   * Whether the lists of who reacted are read. Later: the counts are as expected, so they can wait until those of
   * changed articles are read.
   */
  lists: 'no' | 'now' | 'later';
};

/** What a plan depends on besides the articles. */
export type PlanContext = {
  now: number;
  /** How long an answer of Discord may lag behind its gateway (ms). */
  lagMs: number;
  /** All lists are read. */
  full?: boolean;
  /** Lists are read where equal counts can hide a wrong tally. */
  afterGap?: boolean;
};

/** What a recount does about the articles of a page of counts. */
export function planPage(page: readonly Counted[], context: PlanContext): Step[] {
  return page.map((counted) => ({ id: counted.id, ...planArticle(counted, context) }));
}

type Act = Step extends infer S ? (S extends Step ? Omit<S, 'id'> : never) : never;

function planArticle({ id, message, error, ...known }: Counted, context: PlanContext): Act {
  const { stored, isOwn } = known;
  if (message === undefined) return { kind: 'report unread', error };
  if (stored === null || stored.article.closed) return { kind: 'nothing' };
  const { article } = stored;
  if (message === null) return { kind: isYoung(id, context) ? 'wait' : 'delete', article };
  if (!isOwn) return { kind: 'report hidden' };
  const { isOfArticle, isStateEqual, isUpToDate } = compareMessage(article, message);
  if (!isOfArticle) return { kind: 'take in anew', message };
  const isEditable = context.now < article.closesAtMs && !known.isArchived;
  return {
    kind: 'compare',
    article,
    message,
    isNewer: !isStateEqual,
    isFormOther: isEditable && isStateEqual && !isUpToDate,
    lists: whenToRead(stored, message, known, { ...context, isNewer: !isStateEqual }),
  };
}

/** Whether an answer that the message does not exist may be older than the message. */
export function isYoung(article: Snowflake, { now, lagMs }: Pick<PlanContext, 'now' | 'lagMs'>) {
  return now - snowflakeTimeMs(article) < lagMs;
}

function whenToRead(
  { article, both, broken }: ReactionCounts,
  message: APIMessage,
  { lastReading, hasChanged }: Pick<Counted, 'lastReading' | 'hasChanged'>,
  { full = false, afterGap = false, isNewer }: PlanContext & { isNewer: boolean },
): Compare['lists'] {
  const counts = countsOf(message, article.signs);
  if (broken || !areExpected(counts, lastReading, article, both)) return 'now';
  // Equal counts can hide a removed second reaction, so the lists are read if a member shows both. They say nothing of the
  // message in which an article was found.
  const mayHide =
    both > 0 ||
    (afterGap && ((counts.up > 0 && counts.down > 0) || sourceOf(article, message) !== null));
  return mayHide || hasChanged || full || isNewer ? 'later' : 'no';
}

/** Whether the counts are those of the ranking, and of what the last reading found besides. */
function areExpected(
  counts: Record<'up' | 'down', number>,
  last: LastReading,
  article: Article,
  both: number,
): boolean {
  if (last.kind !== 'compared') return false;
  const up = counts.up - (article.up - 1) - last.above.up;
  const down = counts.down - article.down - last.above.down;
  return both > 0 ? up + down === both : up === 0 && down === 0;
}
