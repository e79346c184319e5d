/** The address of the same feed as a JSON Feed. */
export function jsonAddress(feed: string): string {
  return `${feed}${feed.includes('?') ? '&' : '?'}format=json`;
}
