import type { Snowflake } from '../ranking/snowflake.ts';

/** The findings and repairs of a recount. */
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
  /** Articles in channels that the bot may not read. */
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

/** The sums of all reports since the process started. */
export type Counters = { [key in keyof Report]: number } & { recounts: number };

export function emptyCounters(): Counters {
  return {
    recounts: 0,
    articles: 0,
    read: 0,
    added: 0,
    removed: 0,
    switched: 0,
    gone: 0,
    unread: 0,
    hidden: 0,
  };
}

export function count(counters: Counters, report: Report): void {
  counters.recounts += 1;
  counters.articles += report.articles;
  counters.read += report.read;
  counters.added += report.added;
  counters.removed += report.removed;
  counters.switched += report.switched;
  counters.gone += report.gone;
  counters.unread += report.unread.length;
  counters.hidden += report.hidden.length;
}
