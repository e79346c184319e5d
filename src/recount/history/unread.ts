import { translate } from '../../text/catalogue.ts';

/** A channel or thread that could not be read, or `<id>/threads`: a channel's list of threads. */
export type UnreadPlace = string;

const namedAtMost = 50;

/** Names the places; only some of them. */
export function unreadText(locale: string | null, unread: readonly UnreadPlace[]): string {
  const names = unread.slice(0, namedAtMost).map((place) => {
    const [id, threads] = place.split('/');
    const channel = `<#${id}>`;
    return threads ? translate(locale, 'rebuild.unread.threads', { channel }) : channel;
  });
  return names.join(', ');
}
