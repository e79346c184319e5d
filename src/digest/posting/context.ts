import type { App } from '../../app.ts';
import { openWarnings, type Warn } from '../../redis/errors.ts';
import type { DraftContext } from '../content/draft.ts';
import { type DigestChannels, openDigestChannels } from './channel.ts';

export type DigestParts = Pick<
  App,
  'client' | 'store' | 'ranking' | 'clock' | 'log' | 'ownMessages' | 'refusals' | 'pace'
>;

export type DigestContext = DigestParts & {
  channels: DigestChannels;
  warn: Warn;
} & DraftContext;

export function openDigestContext(
  app: DigestParts,
  recount?: DigestContext['recount'],
): DigestContext {
  const opened = { ...app, channels: openDigestChannels(app), warn: openWarnings(app.log) };
  return recount === undefined ? opened : { ...opened, recount };
}
