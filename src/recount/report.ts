import type { Snowflake } from '../ranking/snowflake.ts';

/** What a recount found and repaired. */
export type Report = {
  /** Open articles that were looked at. */
  articles: number;
  /** Articles whose lists of reactions were read. */
  read: number;
  /** Votes that the ranking had missed, had kept too long, or had the wrong way round. */
  added: number;
  removed: number;
  switched: number;
  /** Articles whose message is gone, and that were removed. */
  gone: number;
  /** Articles of which nothing could be concluded for now, so that nothing was repaired. */
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

/** How much was recounted since the process started. */
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
