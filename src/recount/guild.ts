import type { RecountParts } from './recount-parts.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { type RecountOptions, recountOpen } from './compare.ts';
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
  return app.recountState.exclusively(options.full ? `${guild} full` : guild, async () => {
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
