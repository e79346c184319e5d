import { RateLimitError } from 'discord.js';
import { isApiError, isEditLimit, isLastingRefusal } from '../discord/api-errors.ts';
import { ChannelRefused, areLinksRefused } from '../discord/requests/refusals.ts';
import { NotOurs } from '../discord/requests/requests.ts';
import { notifyAdmins } from '../community/admin-messages.ts';
import { brokenText } from '../digests/posting/posting-context.ts';
import type { Refusal } from '../messages/messages.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { MINUTE_MS } from '../runtime/clock.ts';
import { PROBE_MS, rested } from './board-rules.ts';
import { type BoardState, type BoardTrouble, readBoard } from './stored-board.ts';
import { type Known, localeOf, saved, type Work } from './work.ts';

/** Writes down what an error of Discord means for the board. Rethrows what may pass in a minute. */
export async function afterError(work: Work, known: Known, error: unknown): Promise<BoardState> {
  const { needs, guild } = work;
  const state = (await readBoard(needs.store, guild.id))?.state ?? work.state;
  const current = { ...work, state };
  const now = needs.clock.now();
  if (isEditLimit(error)) {
    const atLeastMs = error instanceof RateLimitError ? error.retryAfter : 0;
    known.dueMs = now + MINUTE_MS;
    return saved(current, { ...rested(state, now, atLeastMs), postingMs: null });
  }
  if (isApiError(error, 'UnknownMessage')) {
    needs.log.info({ guild: guild.id }, 'A board is gone, and stays away unless it is found.');
    // Somebody deleted it, or it was replaced and Redis has lost that: the next look searches the channel.
    const none = { message: null, articles: [], named: [], shown: '' };
    return saved(current, { ...none, deleted: true, postingMs: now });
  }
  // The gateway shows the channel: it tells next that it is gone, or that its guild has an outage.
  if (isApiError(error, 'UnknownChannel')) throw error;
  // Somebody else's message, such as from a file of another bot: it is left alone.
  if (error instanceof NotOurs) return saved(current, { message: null, shown: '', postingMs: now });
  if (error instanceof ChannelRefused) {
    return inTrouble(current, known, { reason: 'refused', detail: '' });
  }
  if (!isLastingRefusal(error)) throw error;
  const reason = areLinksRefused(error) ? 'text' : 'refused';
  return inTrouble(current, known, { reason, detail: String(error.code) });
}

/** Tells who can help what hinders the board. */
async function tellBroken(
  { needs, guild, choice: { channel, savedBy } }: Work,
  about: { guild: Snowflake } & Refusal,
): Promise<void> {
  const locale = await localeOf(needs, guild);
  const reason = brokenText(locale, channel, about);
  await notifyAdmins(needs, about, translate(locale, 'board.notify.broken', { reason }), savedBy);
}

/** The board rests, and tries again in an hour; where only permissions are missing, which asks nothing, in a minute. */
export async function inTrouble(
  work: Work,
  known: Known,
  { reason, detail }: Pick<BoardTrouble, 'reason' | 'detail'>,
): Promise<BoardState> {
  const { needs, guild, choice, state } = work;
  const now = needs.clock.now();
  const isNew = state.trouble === null;
  if (isNew) {
    const about = { guild: guild.id, channel: choice.channel, reason, detail };
    needs.log.warn(about, 'A board cannot be shown.');
    if (reason !== 'gone') await tellBroken(work, about);
  }
  const sinceMs = state.trouble?.sinceMs ?? now;
  const againMs = now + (reason === 'missing' ? MINUTE_MS : PROBE_MS);
  known.dueMs = againMs;
  return saved(work, {
    trouble: { reason, detail, sinceMs },
    restUntilMs: againMs,
    postingMs: null,
  });
}
