import type { App } from '../app.ts';
import { openWarnings, type Warn } from '../redis/errors.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { type DigestChannels, openDigestChannels } from './posting/channel.ts';

/** The parts of the app that digests need. */
export type DigestParts = Pick<
  App,
  'client' | 'store' | 'ranking' | 'clock' | 'log' | 'ownMessages' | 'refusals' | 'pace'
>;

export type DigestContext = DigestParts & {
  channels: DigestChannels;
  warn: Warn;
  /** Makes the tallies of articles equal to Discord's reactions, as far as possible now. */
  recount?: (guild: Snowflake, articles: string[]) => Promise<unknown>;
};

export function openDigestContext(
  app: DigestParts,
  recount?: DigestContext['recount'],
): DigestContext {
  const opened = { ...app, channels: openDigestChannels(app), warn: openWarnings(app.log) };
  return recount === undefined ? opened : { ...opened, recount };
}
