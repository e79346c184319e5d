import type { RunningBot } from '../../discord/bot.ts';
import { fault } from '../../log.ts';
import { importsUnderWay } from '../../store/imports.ts';
import type { Snowflake } from '../../voting/snowflake.ts';
import { runImport } from './import.ts';
import { tellLog } from './report.ts';

/** Goes on with imports whose process ended, or that wait for a permission. */
export type ImportWatch = {
  /** Call it at the start and once a minute. */
  look(): Promise<void>;
};

export function openImportWatch(running: RunningBot): ImportWatch {
  const { bot } = running;
  const { client, store, log, stopping } = bot;
  const underWay = new Set<Snowflake>();

  async function goOn(id: Snowflake): Promise<void> {
    const guild = client.guilds.cache.get(id);
    if (!guild?.available || stopping.aborted) return;
    try {
      const outcome = await runImport(bot, guild);
      if (outcome.status === 'finished') await tellLog(bot, guild, outcome.state);
    } catch (error) {
      if (stopping.aborted) return;
      log.warn({ ...fault(error), guild: id }, 'An import is tried again in a minute.');
    }
  }

  return {
    async look() {
      if (stopping.aborted || !bot.messageContent) return;
      const guilds = [...client.guilds.cache.values()].filter(({ available }) => available);
      const ids = guilds.map(({ id }) => id).filter((id) => !underWay.has(id));
      for (const id of await importsUnderWay(store, ids)) {
        underWay.add(id);
        running.hold(goOn(id).finally(() => underWay.delete(id)));
      }
    },
  };
}
