import { fault } from '../log.ts';
import { reindexLinks } from '../ranking/articles/reindex.ts';
import type { App } from '../app.ts';

/** Indexes the links of every guild by the current rules, one guild at a time, unless it is done. */
export async function reindexGuildsLinks(
  app: Pick<App, 'client' | 'ranking' | 'log' | 'stopping'>,
): Promise<void> {
  const { client, ranking, log, stopping } = app;
  for (const guild of client.guilds.cache.keys()) {
    if (stopping.aborted) return;
    try {
      const moved = await reindexLinks(ranking, guild, stopping);
      if (moved > 0) log.info({ guild, moved }, 'The links are indexed by new rules.');
    } catch (error) {
      log.warn(
        { ...fault(error), guild },
        'Links could not be indexed; the next start tries again.',
      );
    }
  }
}
