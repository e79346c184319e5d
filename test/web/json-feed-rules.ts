import { parseUrl } from '../../src/runtime/url.ts';

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && parseUrl(value) !== null;
}

/** What JSON Feed 1.1 (jsonfeed.org/version/1.1) or 1 finds at fault with a feed. */
export function jsonFeedFaults(text: string): string[] {
  const feed = JSON.parse(text) as Record<string, any>;
  const faults: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) faults.push(what);
  };
  must(/^https:\/\/jsonfeed\.org\/version\/1(?:\.1)?$/.test(feed['version']), 'version');
  must(typeof feed['title'] === 'string' && feed['title'] !== '', 'title');
  must(isAddress(feed['home_page_url']), 'home_page_url');
  must(isAddress(feed['feed_url']), 'feed_url');
  must(Array.isArray(feed['items']), 'items');
  for (const item of feed['items'] ?? []) {
    must(typeof item.id === 'string' && item.id !== '', 'item.id');
    must(typeof item.content_html === 'string' || typeof item.content_text === 'string', 'content');
    must(item.url === undefined || isAddress(item.url), 'item.url');
    must(!Number.isNaN(Date.parse(item.date_published ?? '')), 'item.date_published');
    must(item.title === undefined || typeof item.title === 'string', 'item.title');
  }
  const ids = (feed['items'] ?? []).map(({ id }: { id: string }) => id);
  must(new Set(ids).size === ids.length, 'ids are not unique');
  return faults;
}
