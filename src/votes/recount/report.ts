import type { Snowflake } from '../../runtime/snowflake.ts';

export type Report = ReturnType<typeof emptyReport>;

export function emptyReport() {
  return {
    /** Number of articles that were compared. */
    articles: 0,
    /** Number of articles whose lists of reactions were read. */
    read: 0,
    /** Votes that were missing in the ranking, that were no longer shown, or whose direction was wrong. */
    added: 0,
    removed: 0,
    switched: 0,
    /** Articles that were deleted because their message is gone. */
    gone: 0,
    /** Articles that could not be read completely, so they were not repaired. */
    unread: [] as Snowflake[],
    /** Articles of which votes and lists contradict each other for the moment: they are to be read again. */
    doubtful: [] as Snowflake[],
    /** Articles in channels that the bot may not read, by its permissions. */
    hidden: [] as Snowflake[],
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
