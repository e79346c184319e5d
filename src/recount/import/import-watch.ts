import type { RunningApp } from '../../app.ts';
import { fault } from '../../log.ts';
import { importsUnderWay } from '../../records/history/imports.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { runImport } from './import.ts';

/** Continues imports whose process ended, or that wait for a permission. */
type ImportWatch = {
  /** Call it at the start and once a minute. */
  look(): Promise<void>;
};

export function openImportWatch(running: RunningApp): ImportWatch {
  const { app } = running;
  const { client, store, log, stopping } = app;
  const underWay = new Set<Snowflake>();

  async function goOn(id: Snowflake): Promise<void> {
    const guild = client.guilds.cache.get(id);
    if (!guild?.available || stopping.aborted) return;
    try {
      await runImport(app, guild);
    } catch (error) {
      if (stopping.aborted) return;
      log.warn({ ...fault(error), guild: id }, 'An import is tried again in a minute.');
    }
  }

  return {
    async look() {
      if (stopping.aborted || !app.messageContent) return;
      const guilds = [...client.guilds.cache.values()].filter(({ available }) => available);
      const ids = guilds.map(({ id }) => id).filter((id) => !underWay.has(id));
      for (const id of await importsUnderWay(store, ids)) {
        underWay.add(id);
        app.hold(goOn(id).finally(() => underWay.delete(id)));
      }
    },
  };
}
