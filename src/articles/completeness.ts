import { readRebuildStates } from '../records/rebuilds.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { Store } from '../redis/store.ts';

type Rebuilding = { rebuilding: ReadonlyMap<Snowflake, RebuildStep> };

/** How far the rebuild of a guild's ranking is. */
export type RebuildStep = {
  phase: 'recent' | 'older';
  /** Channels and threads that are read, of all that are to be read in this phase. */
  done: number;
  places: number;
  /** Articles recognised since the rebuild was begun, by whichever process. */
  articles: number;
};

/** Whether readers may miss something: not while the history of a guild without articles is read. */
export function isGappy({ phase, articles }: RebuildStep): boolean {
  return phase === 'recent' || articles > 0;
}

/** Whether this process knows of a rebuild that readers should be told of. */
export function isKnownGappy({ rebuilding }: Rebuilding, guild: Snowflake): boolean {
  const step = rebuilding.get(guild);
  return step !== undefined && isGappy(step);
}

/**
 * Whether the ranking holds all of the guild that there is. False also before anybody has noticed
 * that Redis lost it: an empty list is then no list, and a link may have been posted before.
 */
export async function isReadWhole(
  app: Rebuilding & { store: Store },
  guild: Snowflake,
): Promise<boolean> {
  if (isKnownGappy(app, guild)) return false;
  const [state] = await readRebuildStates(app.store, [guild]);
  return state?.born === true || app.rebuilding.has(guild);
}
