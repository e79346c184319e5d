import type { Snowflake } from '../../ranking/snowflake.ts';

export type Report = {
  /** Number of articles that were compared. */
  articles: number;
  /** Number of articles whose lists of reactions were read. */
  read: number;
  /** Votes that were missing in the ranking, that were no longer shown, or whose direction was wrong. */
  added: number;
  removed: number;
  switched: number;
  /** Articles that were deleted because their message is gone. */
  gone: number;
  /** Articles that could not be read completely, so they were not repaired. */
  unread: Snowflake[];
  /** Articles in channels that the bot may not read, by its permissions. */
  hidden: Snowflake[];
};

export function emptyReport(): Report {
  return {
    articles: 0,
    read: 0,
    added: 0,
    removed: 0,
    switched: 0,
    gone: 0,
    unread: [],
    hidden: [],
  };
}
