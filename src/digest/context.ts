import type { App } from '../app.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { openWarnings, type Warn } from '../redis/errors.ts';
import type { Store } from '../redis/store.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import {
  type DigestChannelParts,
  type DigestChannels,
  openDigestChannels,
} from './posting/channel.ts';

/** The parts of the app that post digests. */
export type DigestContext = {
  store: Store;
  ranking: Ranking;
  channels: DigestChannels;
  clock: Clock;
  log: Log;
  warn: Warn;
  /** Makes the tallies of articles equal to Discord's reactions, as far as possible now. */
  recount?: (guild: Snowflake, articles: string[]) => Promise<unknown>;
};

export type DigestParts = DigestChannelParts & Pick<App, 'ranking' | 'clock' | 'log'>;

export function openDigestContext(
  app: DigestParts,
  recount?: DigestContext['recount'],
): DigestContext {
  const { store, ranking, clock, log } = app;
  const channels = openDigestChannels(app);
  const context = { store, ranking, clock, log, warn: openWarnings(log), channels };
  return recount === undefined ? context : { ...context, recount };
}
