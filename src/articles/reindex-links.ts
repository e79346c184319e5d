import { fault } from '../log.ts';
import { hasIndexedLinks, reindexLinks } from '../ranking/links/index.ts';
import type { App } from '../app.ts';

/** Indexes the links of every guild by the current rules, one guild at a time, unless it is done. */
export async function indexLinks(app: App): Promise<void> {
  const { client, ranking, log, stopping } = app;
  for (const guild of client.guilds.cache.keys()) {
    if (stopping.aborted) return;
    try {
      if (await hasIndexedLinks(ranking, guild)) continue;
      const done = await reindexLinks(ranking, guild, stopping);
      if (done.articles > 0) log.info({ guild, ...done }, 'The links are indexed by new rules.');
    } catch (error) {
      log.warn({ ...fault(error), guild }, 'Links could not be indexed; the next start continues.');
    }
  }
}
