/** Facts of an article as every list shows them: in Discord, on the web and in feeds. */

export function netVotesText({ up, down }: { up: number; down: number }): string {
  return up >= down ? `▲ ${up - down}` : `▼ ${down - up}`;
}

const MAX_HOST_LENGTH = 60;

/** A link's host. Of a long one the start is cut, because its end shows the owner. */
export function shortHost(link: string): string {
  const host = new URL(link).host.replace(/^www\./, '');
  return host.length <= MAX_HOST_LENGTH ? host : `…${host.slice(1 - MAX_HOST_LENGTH)}`;
}
