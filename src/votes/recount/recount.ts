import { ChannelRefused } from '../../discord/requests/refusals.ts';
import { isFaultOfRedis, isOutage } from '../../redis/errors.ts';
import { fault, faultLine } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import type { Report } from './report.ts';

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

/** A recount that runs. */
export type Recount = {
  needs: RecountNeeds;
  guild: Snowflake;
  options: RecountOptions;
  report: Report;
  /** Redis cannot be reached, so nothing more is requested from Discord. */
  isAway: boolean;
};

/** Reports articles that could not be read; they stay as they are. */
export function reportUnread(
  recount: Recount,
  error: unknown,
  articles: readonly Snowflake[],
  channel: Snowflake,
): void {
  const { needs, guild, report } = recount;
  report.unread.push(...articles);
  if (error instanceof ChannelRefused) report.refused.push(...articles);
  else report.error = error;
  if (isFaultOfRedis(error)) needs.ranking.onDamaged(guild);
  if (needs.stopping.aborted || error instanceof ChannelRefused) return;
  const fields = { ...fault(error), guild, channel, articles: articles.length };
  if (isOutage(error)) {
    recount.isAway = true;
    needs.log.info(fields, 'A recount stopped because Redis is away.');
    return;
  }
  const why = JSON.stringify(faultLine(error));
  const isNews = articles.map((article) => needs.unread.note(article, why)).includes(true);
  const text = 'Something could not be recounted, and was left as it is.';
  if (isNews) needs.log.info(fields, text);
  else needs.log.debug(fields, text);
}
