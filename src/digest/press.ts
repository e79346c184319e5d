import type { Client } from 'discord.js';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { readSettings } from '../store/settings.ts';
import type { Store } from '../store/store.ts';
import type { Ranking } from '../voting/ranking.ts';
import { discordOutlet, type Outlet } from './outlet.ts';

/** What it takes to post digests. */
export type Press = {
  store: Store;
  ranking: Ranking;
  outlet: Outlet;
  clock: Clock;
  log: Log;
  /** Makes the tallies of articles equal to the record, as far as it can just now. */
  recount?: (guild: string, articles: string[]) => Promise<unknown>;
};

export function openPress(
  { client, store, ranking, clock, log }: Omit<Press, 'outlet' | 'recount'> & { client: Client },
  recount?: Press['recount'],
): Press {
  const outlet = discordOutlet(
    client,
    async (guild) => (await readSettings(store, guild)).language,
  );
  const press = { store, ranking, clock, log, outlet };
  return recount === undefined ? press : { ...press, recount };
}
