import { readRebuildState } from '../records/history/rebuilds.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { Store } from '../redis/store.ts';

type Rebuilding = { rebuilding: ReadonlyMap<Snowflake, RebuildStep> };

export type RebuildStep = {
  phase: 'recent' | 'older';
  /** The channels and threads already read in this phase; `places` is their total number. */
  done: number;
  places: number;
  /** Articles recognised since the rebuild began, by all processes. */
  articles: number;
};

/** Whether this process knows of a rebuild that lists should mention: an older phase may find nothing. */
export function mayLackArticles({ rebuilding }: Rebuilding, guild: Snowflake): boolean {
  const step = rebuilding.get(guild);
  return step !== undefined && (step.phase === 'recent' || step.articles > 0);
}

/**
 * Whether the ranking has all of the guild's articles. Also false before the bot notices that Redis lost
 * the guild: then an empty list means nothing, and a link may have been posted before.
 */
export async function hasAllArticles(
  app: Rebuilding & { store: Store },
  guild: Snowflake,
): Promise<boolean> {
  if (mayLackArticles(app, guild)) return false;
  const state = await readRebuildState(app.store, guild);
  return state.complete || app.rebuilding.has(guild);
}
