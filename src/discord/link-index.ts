import { fault } from '../log.ts';
import { hasIndexedLinks, reindexLinks } from '../voting/link-index.ts';
import type { Bot } from './bot.ts';

/** Indexes the links of every guild by today's rules, one guild after the other, where that is to be done. */
export async function indexLinks(bot: Bot): Promise<void> {
  const { client, ranking, log, stopping } = bot;
  for (const guild of client.guilds.cache.keys()) {
    if (stopping.aborted) return;
    try {
      if (await hasIndexedLinks(ranking, guild)) continue;
      const done = await reindexLinks(ranking, guild, stopping);
      if (done.articles > 0) log.info({ guild, ...done }, 'The links are indexed by new rules.');
    } catch (error) {
      log.warn({ ...fault(error), guild }, 'Links could not be indexed; the next start goes on.');
    }
  }
}
