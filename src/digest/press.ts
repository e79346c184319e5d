import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { Ranking } from '../voting/ranking.ts';
import type { Outlet } from './outlet.ts';

/** What it takes to post digests. */
export type Press = {
  store: Store;
  ranking: Ranking;
  outlet: Outlet;
  clock: Clock;
  log: Log;
  /** Makes the tallies of articles equal to the record, as far as it can just now. */
  recount?: (guild: string, articles: string[]) => Promise<void>;
};
