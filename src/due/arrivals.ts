import { openWarnings } from '../redis/errors.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { RowNeeds } from './do-row.ts';
import type { Rows } from './rows.ts';

/** The guilds whose standing rows are to be planned. */
interface Arrivals {
  /** The guild has come, or its rows may be lost. */
  note(guild: Snowflake): void;
  /** Plans what the guild has due by its own data. False: some of it could not be read, and stays to be planned. */
  plan(guild: Snowflake): Promise<boolean>;
}

export function openArrivals(
  { store, log, tell }: RowNeeds & { tell?: (guild: Snowflake, atMs: number) => void },
  rows: Rows,
): Arrivals {
  const warn = openWarnings(log);
  /** The kinds that are still to be asked, by guild. */
  const arriving = new Map<Snowflake, Set<string>>();
  return {
    note: (guild) => void arriving.set(guild, new Set(rows.kinds())),
    async plan(guild) {
      const failed = new Set<string>();
      const asked = [...(arriving.get(guild) ?? [])].map(async (kind) => {
        try {
          return await rows.standing(kind, guild);
        } catch (error) {
          failed.add(kind);
          warn(error, { guild, kind }, 'What a guild has due could not be planned yet.');
          return [];
        }
      });
      if (asked.length === 0) return true;
      const planned = (await Promise.all(asked)).flat();
      const scores = planned.flatMap(({ row, atMs }) => [String(atMs), row]);
      if (scores.length > 0) {
        await store.redis.zadd(storeKeys(store, guild).due, 'LT', ...scores);
      }
      for (const { atMs } of planned) tell?.(guild, atMs);
      if (failed.size === 0) arriving.delete(guild);
      else arriving.set(guild, failed);
      return failed.size === 0;
    },
  };
}
