import type { Guild } from 'discord.js';
import type { HeldLease } from '../../redis/lease.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { ImportNeeds } from './import-needs.ts';
import { type ImportMessage, openImportMessage } from './import-report.ts';
import { type ImportState, noteImport } from './stored-imports.ts';

/** An import that is under way in this process. */
export type Run = {
  needs: ImportNeeds;
  guild: Guild;
  held: HeldLease;
  state: ImportState;
  message: ImportMessage;
  /** All messages of the last week are read, but for those in archived threads. */
  isWeekRead: boolean;
  /** Stores the state. Throws `Interrupted` if somebody paused or stopped the import. */
  note(cursor?: Record<Snowflake, string>): Promise<void>;
};

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export function openRun(
  needs: ImportNeeds,
  guild: Guild,
  held: HeldLease,
  state: ImportState,
): Run {
  const keep = (cursor?: Record<Snowflake, string>) =>
    noteImport(needs.store, guild.id, held, state, cursor);
  const before = state.phase;
  return {
    needs,
    guild,
    held,
    state,
    // At its end, the phase is written down only after its report.
    message: openImportMessage(needs, guild.id, state, async () => void (await keep())),
    isWeekRead: false,
    async note(cursor) {
      state.phase = await keep(cursor);
      if (state.phase !== before) throw new Interrupted('Somebody paused or stopped the import.');
    },
  };
}
