import { type APIApplicationCommand, type Client, Routes } from 'discord.js';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** Another process may have deployed them again. */
const FRESH_MS = 300_000;

/** Reads the deployed commands with their ids and all languages. Cached for some minutes. */
export function openDeployedCommands(client: Client, application: Snowflake) {
  let known: { commands: Promise<APIApplicationCommand[]>; readAtMs: number } | undefined;
  return async (): Promise<APIApplicationCommand[]> => {
    if (known && performance.now() - known.readAtMs < FRESH_MS) return known.commands;
    const query = new URLSearchParams({ with_localizations: 'true' });
    const commands = client.rest.get(Routes.applicationCommands(application), {
      query,
    }) as Promise<APIApplicationCommand[]>;
    known = { commands, readAtMs: performance.now() };
    commands.catch(() => (known = undefined));
    return commands;
  };
}
