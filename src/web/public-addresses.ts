import type { Snowflake } from '../ranking/snowflake.ts';

/** The lists that a feed can be of. */
export const FEED_ORDERS = ['front', 'score', 'time', 'votes', 'interesting'] as const;
type FeedOrder = (typeof FEED_ORDERS)[number];

/** The public addresses of a guild's pages. */
export type PublicAddresses = {
  page(guild: Snowflake): string;
  /** Signed by the guild's secret. A group has no front order. */
  feeds(
    guild: Snowflake,
    list: { group: Snowflake | null; order: FeedOrder },
    secret: string,
  ): { atom: string; rss: string; json: string };
};
