import type { Snowflake } from '../ranking/snowflake.ts';
import { feedPath } from './feeds/feed-address.ts';
import type { WebOrder } from './pages/view.ts';

/** The public URLs under an address that has no slash at its end. */
export function publicAddresses(address: string) {
  return {
    page: (guild: Snowflake): string => `${address}/g/${guild}`,
    feeds(
      guild: Snowflake,
      { group, order }: { group: Snowflake | null; order: WebOrder },
      secret: string,
    ): { atom: string; rss: string; json: string } {
      const view = { group, order, period: 'week', page: 1 } as const;
      const of = (format: 'atom' | 'rss' | 'json') =>
        address + feedPath(guild, view, secret, format);
      return { atom: of('atom'), rss: of('rss'), json: of('json') };
    },
  };
}
