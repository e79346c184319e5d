import type { Snowflake } from '../../runtime/snowflake.ts';

/** What a recount found and repaired. */
export interface Report {
  /** Number of articles that were compared. */
  articles: number;
  /** Number of articles whose lists of reactions were read. */
  read: number;
  /** Votes that were missing in the ranking. */
  added: number;
  /** Votes that were no longer shown. */
  removed: number;
  /** Votes whose direction was wrong. */
  switched: number;
  /** Articles that were deleted because their message is gone. */
  gone: number;
  /** Articles that could not be read completely, so they were not repaired. */
  unread: Snowflake[];
  /** Those of `unread` that Discord refused before, so that it was not asked now. */
  refused: Snowflake[];
  /** Why the last of the others could not be read; undefined: all were. */
  error?: unknown;
  /** Articles of which votes and lists contradict each other for the moment: they are to be read again. */
  unsettled: Snowflake[];
  /** Articles in channels that the bot may not read, by its permissions. */
  hidden: Snowflake[];
}

export function emptyReport(): Report {
  return {
    articles: 0,
    read: 0,
    added: 0,
    removed: 0,
    switched: 0,
    gone: 0,
    unread: [],
    refused: [],
    unsettled: [],
    hidden: [],
  };
}

/** The number of repaired votes and articles. */
export function repairsIn({
  added,
  removed,
  switched,
  gone,
}: Pick<Report, 'added' | 'removed' | 'switched' | 'gone'>): number {
  return added + removed + switched + gone;
}
