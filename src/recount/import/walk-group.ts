import type { Guild, NonThreadGuildBasedChannel } from 'discord.js';
import { mayReadHistory } from '../../discord/access/permissions.ts';
import type { PacedRequests } from '../../discord/requests/paced-requests.ts';
import type { Plan } from '../../records/history/imports.ts';
import { oldestFirst, readPlaces } from '../history/places.ts';
import { type UnreadPlace, unreadPlaceOf } from '../history/unread.ts';
import { type Walk, walkHistory } from '../history/walk-history.ts';

/** Handles the messages, and holds the cursors to continue from. */
export type Reading = Pick<Walk, 'cursors' | 'signal' | 'handle' | 'note'>;

/**
 * Reads the history of a group with its threads, the oldest messages first, because a link belongs to
 * the first message that has it. Returns what the bot may not read, or null if that is the
 * group itself.
 */
export async function walkGroup(
  requests: PacedRequests,
  guild: Guild,
  group: NonThreadGuildBasedChannel,
  { fromMs, untilMs }: Plan,
  reading: Reading,
): Promise<UnreadPlace[] | null> {
  const { places, unread } = await readPlaces(requests, guild, [group], 0);
  const range = { fromMs, untilMs, order: 'oldest first' } as const;
  const walk = { requests, range, sideBySide: 1, ...reading };
  const refused = (await walkHistory(walk, oldestFirst(places))).map(({ channel }) => channel);
  if (!mayReadHistory(group) || refused.includes(group.id)) return null;
  return [...unread, ...refused.map((channel) => unreadPlaceOf(group.id, channel))];
}
