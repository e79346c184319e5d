import type { RecountParts } from './recount-parts.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { readArticles } from '../ranking/articles/articles.ts';
import { recountArticles, type RecountOptions, recountOpen } from './compare.ts';
import type { Report } from './reactions/report.ts';

/**
 * Recounts a guild and returns a report. If a recount of the same kind is running there, this one
 * waits for it. With `full` all lists are read: 1 000 articles take some minutes.
 */
export async function recountGuild(
  app: RecountParts,
  guild: Snowflake,
  options: RecountOptions = {},
): Promise<Report> {
  // A full recount takes long, so it must not delay a quick one.
  return app.recounts.exclusively(options.full ? `${guild} full` : guild, async () => {
    const startedMs = performance.now();
    const report = await recountOpen(app, guild, options);
    const { unread, hidden, ...counts } = report;
    const fields = {
      guild,
      ...counts,
      unread: unread.length,
      hidden: hidden.length,
      ms: Math.round(performance.now() - startedMs),
    };
    const repaired = report.added + report.removed + report.switched + report.gone > 0;
    if (repaired) app.log.info(fields, 'A recount repaired votes.');
    else app.log.debug(fields, 'A recount found nothing to repair.');
    return report;
  });
}

/** Recounts those of these articles on which voting is open. Call it before they are shown. */
export async function recountById(
  app: RecountParts,
  guild: Snowflake,
  articles: readonly Snowflake[],
  options: RecountOptions = {},
): Promise<Report> {
  const now = app.clock.now();
  const found = await readArticles(app.ranking, guild, articles);
  const open = found.flatMap((one) => (one && !one.closed && now < one.closesAtMs ? [one] : []));
  return recountArticles(app, guild, open, options);
}
