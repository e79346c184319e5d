/** Facts of an article as every list shows them: in Discord, on the web and in feeds. */

import { titleOfLink } from './clean.ts';
import { shownHost } from './shown-host.ts';

export function netVotesText({ up, down }: { up: number; down: number }): string {
  return up >= down ? `▲ ${up - down}` : `▼ ${down - up}`;
}

const MAX_HOST_LENGTH = 60;

/** A link's host. Of a long one the start is cut, because its end shows the owner. */
export function shortHost(link: string): string {
  const host = shownHost(new URL(link).host.replace(/^www\./, ''));
  return host.length <= MAX_HOST_LENGTH ? host : `…${host.slice(1 - MAX_HOST_LENGTH)}`;
}

/** Every list shows as much of a title. */
const SHOWN_OF_TITLE = 29;

/**
 * The host to show with a title. Null if the title is the link's own address, which shows it already.
 * With a space in it, the end of an address could pass for the host.
 */
export function hostBeside({ title, link }: { title: string; link: string }): string | null {
  const isAddress = title === titleOfLink(link) && !title.includes(' ');
  return isAddress && new URL(link).host.length <= SHOWN_OF_TITLE ? null : shortHost(link);
}
