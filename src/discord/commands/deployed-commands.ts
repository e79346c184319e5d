import { type APIApplicationCommand, type Client, Routes } from 'discord.js';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** Reads the deployed commands with their ids and all languages. Cached for some minutes. */
export type DeployedCommands = () => Promise<APIApplicationCommand[]>;

/** Another process may have deployed them again. */
const FRESH_MS = 300_000;

export function openDeployedCommands(client: Client, application: Snowflake): DeployedCommands {
  let known: { commands: Promise<APIApplicationCommand[]>; readAtMs: number } | undefined;
  return async () => {
    if (known && performance.now() - known.readAtMs < FRESH_MS) return known.commands;
    const route = Routes.applicationCommands(application);
    const query = new URLSearchParams({ with_localizations: 'true' });
    const commands = client.rest.get(route, { query }) as Promise<APIApplicationCommand[]>;
    known = { commands, readAtMs: performance.now() };
    commands.catch(() => (known = undefined));
    return commands;
  };
}
