import { isApiError } from '../../discord/api-errors.ts';
import { emitMetric } from '../../runtime/metrics.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { articlesInVoting } from '../../ranking/articles/closing.ts';
import { compareIds, type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import { openExecutor } from './carry-out.ts';
import { hideGone, isThreadGone } from './gone-articles.ts';
import { planPage } from './plan.ts';
import { readPages } from './read-pages.ts';
import { type Recount, type RecountOptions, reportUnread } from './recount.ts';
import { mayReadArticle } from './recount-article.ts';
import { emptyReport, repairsIn, type Report } from './report.ts';

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
    const { unread, refused, unsettled, hidden, error: _, ...counts } = report;
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
  const recount: Recount = { needs, guild, options, report, isAway: false };
  await Promise.all([...channels.values()].map((there) => recountChannel(recount, there)));
  emitMetric('recount', {
    kind: options.full === true ? 'full' : 'counts',
    articles: report.articles,
    repairs: repairsIn(report),
    seconds: (performance.now() - startedMs) / 1000,
  });
  return report;
}

/** Reads a channel's counts by pages, makes a plan of each, and carries it out. */
async function recountChannel(recount: Recount, articles: Article[]): Promise<void> {
  const { needs, guild, report, options } = recount;
  const [first] = articles;
  if (!first) return;
  const missing = new Set(articles.map(({ id }) => id).toSorted(compareIds));
  if (!mayReadArticle(needs, guild, first)) return reportHidden(recount, first, [...missing]);
  const { channel } = first;
  const { lagMs } = needs.seen;
  const executor = openExecutor(recount, channel);
  try {
    for await (const { counted, watches } of readPages(needs, guild, channel, [...missing])) {
      const plan = planPage(counted, { ...options, now: needs.clock.now(), lagMs });
      await executor.carryOut(plan, watches);
      for (const { id } of plan) missing.delete(id);
      if (recount.isAway) break;
    }
    // Articles are missing here only if Redis could not be reached.
    report.unread.push(...missing);
  } catch (error) {
    const isGone = isApiError(error, 'UnknownChannel') && (await isThreadGone(needs, guild, first));
    if (isGone) {
      report.hidden.push(...missing);
      for (const one of articles) if (missing.has(one.id)) await hideGone(needs, guild, one);
    } else reportUnread(recount, error, [...missing], channel);
  }
  await executor.end();
}

/** If the channel is not there, the rows may be wrong, so the messages are searched. */
async function reportHidden(
  { needs, guild, report, options }: Recount,
  { home }: Article,
  ids: readonly Snowflake[],
): Promise<void> {
  report.hidden.push(...ids);
  const isUnknown = needs.client.guilds.cache.get(guild)?.channels.cache.has(home) === false;
  const [oldest] = ids;
  if (!isUnknown || options.full !== true || oldest === undefined) return;
  await needs.searchAgainFrom(guild, snowflakeTimeMs(oldest));
}
