import type { Snowflake } from '../ranking/snowflake.ts';
import { feedPath, FORMATS, type Format } from './feeds/feed-address.ts';
import type { WebOrder } from './pages/view.ts';

/** The public addresses of guilds' pages. */
export type PublicAddresses = {
  page(guild: Snowflake): string;
  /** Signed by the guild's secret. A group has no front order. */
  feeds(
    guild: Snowflake,
    list: { group: Snowflake | null; order: WebOrder },
    secret: string,
  ): Record<Format, string>;
};

/** `address` has no slash at its end. */
export function publicAddresses(address: string): PublicAddresses {
  return {
    page: (guild) => `${address}/g/${guild}`,
    feeds(guild, list, secret) {
      const view = { ...list, period: 'week', page: 1 } as const;
      const [atom, rss, json] = FORMATS.map(
        (format) => address + feedPath(guild, view, secret, format),
      ) as [string, string, string];
      return { atom, rss, json };
    },
  };
}
