import type { Store } from '../../redis/store.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { readRebuildState, type RebuildStep } from './stored-rebuilds.ts';

/**
 * Whether lists should say that articles may be missing: during a rebuild, whose older phase may find
 * nothing. Also before the bot notices that Redis lost the guild: then an empty list means nothing, and
 * a link may have been posted before.
 */
export async function mayLackArticles(
  { rebuilding, store }: { rebuilding: ReadonlyMap<Snowflake, RebuildStep>; store: Store },
  guild: Snowflake,
  isEmpty: boolean,
): Promise<boolean> {
  const step = rebuilding.get(guild);
  if (step !== undefined) return step.phase === 'recent' || step.articles > 0;
  return isEmpty && !(await readRebuildState(store, guild)).complete;
}
