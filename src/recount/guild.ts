import type { Bot } from '../discord/bot.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import { readArticles } from '../voting/articles.ts';
import { recountArticles, type RecountOptions, recountOpen } from './recount.ts';
import { type Counters, count, emptyCounters, type Report } from './report.ts';
import { inTurn } from './turns.ts';

const counters = new WeakMap<Bot, Counters>();

/** How much this process has recounted. */
export function recountCounters(bot: Bot): Counters {
  const found = counters.get(bot) ?? emptyCounters();
  counters.set(bot, found);
  return found;
}

/**
 * Recounts a guild now, or after the recount of its kind that is under way there, and says what was repaired.
 * With `full` all lists are read: 1 000 articles take some minutes.
 */
export async function recountGuild(
  bot: Bot,
  guild: Snowflake,
  options: RecountOptions = {},
): Promise<Report> {
  // One that reads all lists takes long, and holds up no other.
  return inTurn(bot, options.full ? `${guild} full` : guild, async () => {
    const startedMs = performance.now();
    const report = await recountOpen(bot, guild, options);
    record(bot, report);
    const { unread, hidden, ...counts } = report;
    const fields = {
      guild,
      ...counts,
      unread: unread.length,
      hidden: hidden.length,
      ms: Math.round(performance.now() - startedMs),
    };
    const repaired = report.added + report.removed + report.switched + report.gone > 0;
    if (repaired) bot.log.info(fields, 'A recount repaired votes.');
    else bot.log.debug(fields, 'A recount found nothing to repair.');
    return report;
  });
}

/** Recounts these articles of a guild, as far as voting is open on them; for who is about to show them. */
export async function recountById(
  bot: Bot,
  guild: Snowflake,
  articles: readonly Snowflake[],
): Promise<Report> {
  const now = bot.clock.now();
  const found = await readArticles(bot.ranking, guild, articles);
  const open = found.flatMap((one) => (one && !one.closed && now < one.closesAtMs ? [one] : []));
  const report = await recountArticles(bot, guild, open);
  record(bot, report);
  return report;
}

export function record(bot: Bot, report: Report): void {
  count(recountCounters(bot), report);
}
