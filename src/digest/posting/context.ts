import type { Client } from 'discord.js';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { readSettings } from '../../records/settings.ts';
import type { Store } from '../../redis/store.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { openDigestChannel, type DigestChannel } from './channel.ts';

/** What it takes to post digests. */
export type DigestContext = {
  store: Store;
  ranking: Ranking;
  outlet: DigestChannel;
  clock: Clock;
  log: Log;
  /** Makes the tallies of articles equal to the record, as far as it can just now. */
  recount?: (guild: string, articles: string[]) => Promise<unknown>;
};

export function openDigestContext(
  {
    client,
    store,
    ranking,
    clock,
    log,
  }: Omit<DigestContext, 'outlet' | 'recount'> & { client: Client },
  recount?: DigestContext['recount'],
): DigestContext {
  const outlet = openDigestChannel(
    client,
    async (guild) => (await readSettings(store, guild)).language,
  );
  const press = { store, ranking, clock, log, outlet };
  return recount === undefined ? press : { ...press, recount };
}
