import type { Snowflake } from '../../ranking/snowflake.ts';
import { translate } from '../../text/catalogue.ts';

/**
 * What could not be read: `<group>`, the channel itself; `<group>/<thread>`, one of its threads; or
 * `<group>/threads`, the list of its threads.
 */
export type UnreadPlace = string;

export function unreadPlaceOf(group: Snowflake, channel: Snowflake): UnreadPlace {
  return channel === group ? group : `${group}/${channel}`;
}

export function groupOfUnread(place: UnreadPlace): Snowflake {
  return place.split('/')[0] ?? '';
}

/** The channel or thread of the requests that were refused. */
export function channelOfUnread(place: UnreadPlace): Snowflake {
  const [group = '', inGroup] = place.split('/');
  return inGroup === undefined || inGroup === 'threads' ? group : inGroup;
}

// A report of an import and the next question must fit into one message.
const NAMED_AT_MOST = 20;

/** Names the places; only some of them. */
export function unreadText(locale: string | null, unread: readonly UnreadPlace[]): string {
  const names = unread.slice(0, NAMED_AT_MOST).map((place) => {
    const [group, inGroup] = place.split('/');
    if (inGroup !== 'threads') return `<#${inGroup ?? group}>`;
    return translate(locale, 'rebuild.unread.threads', { channel: `<#${group}>` });
  });
  return names.join(', ');
}
