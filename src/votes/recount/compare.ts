import { setTimeout as pause } from 'node:timers/promises';
import type { APIMessage } from 'discord.js';
import { compareMessage } from '../../articles/messages/compare-message.ts';
import { isApiError } from '../../discord/api-errors.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import { isFaultOfRedis, isOutage } from '../../redis/errors.ts';
import type { LastReading, Watch } from '../seen-reactions.ts';
import { fault, faultLine } from '../../runtime/log.ts';
import { emitMetric } from '../../runtime/metrics.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { articlesInVoting } from '../../ranking/articles/closing.ts';
import { type ReactionCounts, readReactionCounts } from '../../ranking/ballots/voters.ts';
import { compareIds, type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { mayReadArticle, recountArticle } from './recount-article.ts';
import { deleteGone, hideGone, isThreadGone } from './gone-articles.ts';
import { type Both, countsOf, listsOf } from './counts.ts';
import { type Found, readMessages } from './messages.ts';
import { emptyReport, repairsIn, type Report } from './report.ts';
import { repairMessage } from './repair-message.ts';
import { limits } from '../../discord/limits.ts';
import type { RecountNeeds } from '../recount-needs.ts';

export type RecountOptions = {
  /** Reads all lists of reactions, which finds swapped votes that equal counts hide. */
  full?: boolean;
  /**
   * Events may be missing. Also reads the lists of articles whose equal counts can hide a wrong tally:
   * members show 👍 and members show 👎.
   */
  afterGap?: boolean;
  /** Only the articles whose messages are in these channels and threads. */
  channels?: ReadonlySet<Snowflake>;
  articles?: readonly Snowflake[];
  /** Reports what is unsettled, and does not wait to read it again. */
  once?: boolean;
};

/**
 * Recounts a guild and returns a report. If a recount of the same kind is running there, this one
 * waits for it. With `full` all lists are read: 1 000 articles take some minutes.
 */
export async function recountGuild(
  needs: RecountNeeds,
  guild: Snowflake,
  options: RecountOptions = {},
): Promise<Report> {
  // A full recount takes long, so it must not delay a quick one.
  return needs.recountInTurn(options.full ? `${guild} full` : guild, async () => {
    const report = await recountArticlesInVoting(needs, guild, options);
    const { unread, refused, unsettled, hidden, ...counts } = report;
    const left = {
      unread: unread.length,
      refused: refused.length,
      unsettled: unsettled.length,
      hidden: hidden.length,
    };
    const fields = { guild, ...counts, ...left };
    if (repairsIn(report) > 0) needs.log.info(fields, 'A recount repaired votes.');
    else needs.log.debug(fields, 'A recount found nothing to repair.');
    return report;
  });
}

/** Compares the articles of a guild on which voting is open with Discord, and repairs differences. */
export async function recountArticlesInVoting(
  needs: RecountNeeds,
  guild: Snowflake,
  options: RecountOptions = {},
): Promise<Report> {
  const now = needs.clock.now();
  const { channels, articles = await articlesInVoting(needs.ranking, guild) } = options;
  const open = await readArticles(needs.ranking, guild, articles);
  const voting = open.filter(
    (one): one is Article =>
      one !== null && !one.closed && now < one.closesAtMs && channels?.has(one.channel) !== false,
  );
  return recountArticles(needs, guild, voting, options);
}

/**
 * Compares articles with Discord. Channels are read in parallel; in each channel, the lists of
 * changed articles are read while the next counts are read. An article that cannot be read stays
 * as it is, and the report names it.
 */
export async function recountArticles(
  needs: RecountNeeds,
  guild: Snowflake,
  articles: readonly Article[],
  options: RecountOptions = {},
): Promise<Report> {
  const startedMs = performance.now();
  const report = emptyReport();
  report.articles = articles.length;
  const channels = new Map<Snowflake, Article[]>();
  for (const article of articles) {
    const there = channels.get(article.channel) ?? [];
    there.push(article);
    channels.set(article.channel, there);
  }
  const recount: Recount = { needs, guild, options, report, away: false };
  await Promise.all([...channels.values()].map((there) => recountChannel(recount, there)));
  emitMetric('recount', {
    kind: options.full === true ? 'full' : 'counts',
    articles: report.articles,
    repairs: repairsIn(report),
    seconds: (performance.now() - startedMs) / 1000,
  });
  return report;
}

type Recount = {
  needs: RecountNeeds;
  guild: Snowflake;
  options: RecountOptions;
  report: Report;
  /** Redis cannot be reached, so the rest is not requested from Discord. */
  away: boolean;
};

async function recountChannel(recount: Recount, articles: Article[]): Promise<void> {
  const { needs, guild, report } = recount;
  const [first] = articles;
  if (!first) return;
  const { channel } = first;
  const left = new Set(articles.map(({ id }) => id).toSorted(compareIds));
  if (!mayReadArticle(needs, guild, first)) {
    report.hidden.push(...left);
    // The rows may be wrong, so the messages are searched.
    const isUnknown =
      needs.client.guilds.cache.get(guild)?.channels.cache.has(first.home) === false;
    const [oldest] = left;
    if (isUnknown && recount.options.full) {
      await needs.searchAgainFrom(guild, snowflakeTimeMs(oldest!));
    }
    return;
  }
  let reading = Promise.resolve();
  const equal: Changed[] = [];
  const unsettled: Article[] = [];
  try {
    const pages = readMessages(needs, guild, channel, [...left]);
    while (left.size > 0 && !recount.away) {
      const watches = new Map(
        [...left].slice(0, limits.pageSize).map((id) => [id, needs.seen.watch(id)]),
      );
      let changed: Changed[] = [];
      try {
        const { value: found } = await pages.next();
        if (!found) break;
        changed = await takePage(recount, found, { watches, unsettled });
        for (const { id } of found) left.delete(id);
        for (const one of changed) {
          if (one.isEqual) equal.push(one);
          else reading = reading.then(() => readOne(recount, one, unsettled));
        }
      } finally {
        const needed = new Set(changed.map(({ watch }) => watch));
        for (const watch of watches.values()) if (!needed.has(watch)) watch.end();
      }
    }
    // Articles are left here only if Redis could not be reached.
    report.unread.push(...left);
  } catch (error) {
    const isGone = isApiError(error, 'UnknownChannel') && (await isThreadGone(needs, guild, first));
    if (isGone) {
      report.hidden.push(...left);
      for (const one of articles) if (left.has(one.id)) await hideGone(needs, guild, one);
    } else reportUnread(recount, error, [...left], channel);
  }
  await reading;
  for (const one of equal) await readOne(recount, one, unsettled);
  if (!recount.options.once) await readUnsettled(recount, unsettled);
  report.unsettled.push(...unsettled.map(({ id }) => id));
}

/** The times that an article is read again whose lists contradict the events of the last moments. */
const READ_AGAIN_AT_MOST = 3;

/** Reads articles again when Discord's answers have caught up with its gateway. */
async function readUnsettled(recount: Recount, unsettled: Article[]): Promise<void> {
  const { needs } = recount;
  for (let tries = 0; tries < READ_AGAIN_AT_MOST && unsettled.length > 0; tries += 1) {
    await pause(needs.seen.lagMs, undefined, { signal: needs.stopping }).catch(() => {});
    if (needs.stopping.aborted) break;
    for (const article of unsettled.splice(0)) {
      await readOne(
        recount,
        { article, message: null, isEqual: false, watch: undefined },
        unsettled,
      );
    }
  }
}

type Changed = {
  article: Article;
  /** Null: it is to be requested. */
  message: APIMessage | null;
  /** The counts are as expected, so this can wait until changed articles are read. */
  isEqual: boolean;
  /** The events since the message was requested, until its lists are read; undefined: not recorded. */
  watch: Watch | undefined;
};

/**
 * Deletes the articles of a page whose messages are gone, and updates the others from their messages.
 * Returns those whose lists must be read. If somebody voted on an article after the page was requested,
 * its counts and our tally are from different moments, so its lists are read.
 */
async function takePage(
  recount: Recount,
  found: Found[],
  { watches, unsettled }: { watches: ReadonlyMap<Snowflake, Watch>; unsettled: Article[] },
): Promise<Changed[]> {
  const { needs, guild } = recount;
  const ids = found.map(({ id }) => id);
  const known = await readReactionCounts(needs.ranking, guild, ids);
  const changed: Changed[] = [];
  for (const [i, { id, message, error }] of found.entries()) {
    const stored = known[i];
    if (message === undefined) {
      reportUnread(recount, error, [id], stored?.article.channel ?? '');
      continue;
    }
    if (!stored || stored.article.closed) continue;
    try {
      if (message) {
        const one = await takeMessage(recount, stored, message, watches.get(id));
        if (one) changed.push(one);
      } else if (isYoung(needs, id)) unsettled.push(stored.article);
      else await noteGone(recount, stored.article);
    } catch (fault) {
      // One article's own fault stops no other.
      if (isOutage(fault) || needs.stopping.aborted) throw fault;
      reportUnread(recount, fault, [id], stored.article.channel);
    }
  }
  return changed;
}

/** Updates an article from its message. Null if its lists need not be read. */
async function takeMessage(
  { needs, guild, options, report }: Recount,
  { article, both, broken }: ReactionCounts,
  message: APIMessage,
  watch: Watch | undefined,
): Promise<Changed | null> {
  const { id } = article;
  if (!needs.requests.see(message)) {
    report.hidden.push(id);
    return null;
  }
  const compared = compareMessage(article, message);
  if (!compared.isOfArticle) {
    const right = await needs.takeInAnew(guild, message);
    return right && { article: right, message, isEqual: false, watch };
  }
  const hasChanged = (watch?.members.size ?? 0) > 0;
  await repairMessage(needs, guild, article, { message, compared, hasChanged });
  for (const list of listsOf(message)) needs.seen.noteVariant({ article: id, ...list });
  const counts = countsOf(message);
  const isEqual = !broken && isAsExpected(needs.seen.lastReading(id), counts, article, both);
  // Equal counts can hide a removed second reaction, so read the lists if a member shows both.
  const mayHide = both > 0 || (options.afterGap === true && counts.up > 0 && counts.down > 0);
  if (!isEqual || mayHide || hasChanged || options.full === true) {
    return { article, message, isEqual, watch };
  }
  needs.unread.forget(id);
  return null;
}

/** Whether the counts are those of the ranking, and of what the last reading found besides. */
function isAsExpected(last: LastReading, counts: Both, article: Article, both: number): boolean {
  if (last.kind !== 'compared') return false;
  const up = counts.up - (article.up - 1) - last.above.up;
  const down = counts.down - article.down - last.above.down;
  return both > 0 ? up + down === both : up === 0 && down === 0;
}

/** An answer may be older than the message. */
function isYoung({ clock, seen }: RecountNeeds, article: Snowflake): boolean {
  return clock.now() - snowflakeTimeMs(article) < seen.lagMs;
}

async function noteGone({ needs, guild, report }: Recount, article: Article): Promise<void> {
  if ((await deleteGone(needs, guild, article)) === 'deleted') report.gone += 1;
}

async function readOne(
  recount: Recount,
  { article, message, watch }: Changed,
  unsettled: Article[],
): Promise<void> {
  const { needs, guild, report } = recount;
  const { id, channel } = article;
  try {
    if (recount.away) {
      report.unread.push(id);
      return;
    }
    const outcome = await needs.recountInTurn(id, () =>
      recountArticle(needs, guild, article, { message, watch, report }),
    );
    needs.unread.forget(id);
    if (outcome === 'gone' && !isYoung(needs, id)) await noteGone(recount, article);
    else if (outcome !== 'done') unsettled.push(article);
  } catch (error) {
    reportUnread(recount, error, [id], channel);
  } finally {
    watch?.end();
  }
}

/** Reports articles that could not be read; they stay as they are. */
function reportUnread(
  recount: Recount,
  error: unknown,
  articles: Snowflake[],
  channel: Snowflake,
): void {
  const { needs, guild, report } = recount;
  report.unread.push(...articles);
  if (error instanceof ChannelRefused) report.refused.push(...articles);
  if (isFaultOfRedis(error)) needs.ranking.suspects.add(guild);
  if (needs.stopping.aborted || error instanceof ChannelRefused) return;
  const fields = { ...fault(error), guild, channel, articles: articles.length };
  if (isOutage(error)) {
    recount.away = true;
    needs.log.info(fields, 'A recount stopped because Redis is away.');
    return;
  }
  const why = JSON.stringify(faultLine(error));
  const isNews = articles.map((article) => needs.unread.note(article, why)).includes(true);
  const text = 'Something could not be recounted, and was left as it is.';
  if (isNews) needs.log.info(fields, text);
  else needs.log.debug(fields, text);
}
