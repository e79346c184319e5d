import { type APIMessage, Routes } from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import { readOne, readPage } from '../../discord/requests/read-messages.ts';
import { isOfOneMessage } from '../../discord/requests/refusals.ts';
import { compareIds, type Snowflake } from '../../runtime/snowflake.ts';
import { limits } from '../../discord/limits.ts';
import type { Requests } from '../../discord/requests/requests.ts';

/** `message`: null if it does not exist. `error`: why this one message could not be read. */
export type Found =
  | { id: Snowflake; message: APIMessage | null; error?: undefined }
  | { id: Snowflake; message?: undefined; error: unknown };

/**
 * Reads the messages of articles with few requests. `articles` must be in ascending order. Each
 * request returns up to 100 messages, from the first article that is still missing. If such a page
 * does not contain an article that it should, that message is requested by itself.
 */
export async function* readMessages(
  needs: { requests: Requests },
  guild: Snowflake,
  channel: Snowflake,
  articles: readonly Snowflake[],
): AsyncGenerator<Found[]> {
  for (let next = 0; next < articles.length; ) {
    const query = { after: String(BigInt(articles[next]!) - 1n), limit: String(limits.pageSize) };
    const route = Routes.channelMessages(channel);
    const page = readPage(await needs.requests.get({ guild, channel }, route, query));
    const byId = new Map(page.messages.map((message) => [message.id, message]));
    const last = [...byId.keys(), ...page.broken].sort(compareIds).at(-1);
    const isFull = page.length === limits.pageSize;
    const found: Found[] = [];
    for (const id of articles.slice(next)) {
      const isBeyond = isFull && last !== undefined && compareIds(id, last) > 0;
      if (isBeyond && found.length > 0) break;
      const listed = byId.get(id);
      const one: Found = listed
        ? { id, message: listed }
        : await readMessage(needs, guild, channel, id).then(
            (message) => ({ id, message }),
            (error: unknown) => {
              if (!isOfOneMessage(error)) throw error;
              return { id, error };
            },
          );
      found.push(one);
      // The page was not complete, so request the rest again.
      if (one.message && !listed) break;
    }
    next += found.length;
    yield found;
  }
}

/** Reads one message. Null only if Discord shows the channel and says that the message does not exist. */
export async function readMessage(
  { requests }: { requests: Requests },
  guild: Snowflake,
  channel: Snowflake,
  id: Snowflake,
): Promise<APIMessage | null> {
  try {
    return readOne(await requests.get({ guild, channel }, Routes.channelMessage(channel, id)));
  } catch (error) {
    if (isApiError(error, 'UnknownMessage')) return null;
    throw error;
  }
}
