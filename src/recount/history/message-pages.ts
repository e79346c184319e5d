import { type APIMessage, type NonThreadGuildBasedChannel, Routes } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import type { PacedRequests } from '../../discord/requests/paced-requests.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import {
  compareIds,
  DISCORD_EPOCH_MS,
  type Snowflake,
  snowflakeAt,
  snowflakeTimeMs,
} from '../../ranking/snowflake.ts';
import { limits } from '../../discord/limits.ts';
import type { HistoryPlace } from './places.ts';

/** The messages to read, and their order. `fromMs` is included, `untilMs` is not. */
export type Range = { fromMs: number; untilMs: number; order: 'newest first' | 'oldest first' };

type Page = {
  /** In the range's order. */
  messages: APIMessage[];
  /** The message to continue from; null after the last page. */
  cursor: Snowflake | null;
};

/** One second after the epoch of snowflakes; no message is older. */
const beginningMs = Number(DISCORD_EPOCH_MS) + 1000;

/**
 * Reads the messages of a channel or thread, from the start of the range or from a cursor. A step
 * that throws can be repeated. Throws `ChannelRefused` if the bot may not read the messages.
 */
export async function* readPages(
  requests: PacedRequests,
  place: HistoryPlace,
  { fromMs, untilMs, order }: Range,
  cursor?: Snowflake,
): AsyncGenerator<Page> {
  const { channel, group } = place;
  const isUp = order === 'oldest first';
  let next = cursor ?? (isUp ? firstAfter(fromMs) : undefined);
  for (;;) {
    if (!isUp && next !== undefined && snowflakeTimeMs(next) <= fromMs) return;
    demandHistory(group);
    const query = {
      limit: String(limits.pageSize),
      ...(next && { [isUp ? 'after' : 'before']: next }),
    };
    const found = (await requests.get(
      place,
      Routes.channelMessages(channel),
      query,
    )) as APIMessage[];
    // If the permission was lost meanwhile, an empty page is no evidence.
    if (found.length === 0) demandHistory(group);
    const messages = found.sort((a, b) => (isUp ? 1 : -1) * compareIds(a.id, b.id));
    next = messages.at(-1)?.id;
    const isPast = next !== undefined && isUp && snowflakeTimeMs(next) >= untilMs;
    const within = isPast ? messages.filter(({ id }) => snowflakeTimeMs(id) < untilMs) : messages;
    // Only an empty page is the end: Discord may return fewer messages than the limit.
    yield { messages: within, cursor: isPast ? null : (next ?? null) };
    if (next === undefined || isPast) return;
  }
}

function firstAfter(fromMs: number): Snowflake {
  return String(BigInt(snowflakeAt(Math.max(fromMs, beginningMs))) - 1n);
}

function demandHistory(group: NonThreadGuildBasedChannel): void {
  if (!mayReadHistory(group)) throw new ChannelRefused('The history may not be read.');
}
