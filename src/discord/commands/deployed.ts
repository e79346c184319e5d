import { type APIApplicationCommand, Routes } from 'discord.js';
import type { App } from '../../app.ts';

/** Somebody may have deployed them anew. */
const freshMs = 300_000;
const kept = new WeakMap<App, { commands: Promise<APIApplicationCommand[]>; readAtMs: number }>();

/** The commands as Discord has them, with their ids and in every language; kept for some minutes. */
export async function readDeployedCommands(app: App): Promise<APIApplicationCommand[]> {
  const known = kept.get(app);
  if (known && performance.now() - known.readAtMs < freshMs) return known.commands;
  const route = Routes.applicationCommands(app.store.applicationId);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const commands = app.client.rest.get(route, { query }) as Promise<APIApplicationCommand[]>;
  kept.set(app, { commands, readAtMs: performance.now() });
  commands.catch(() => kept.delete(app));
  return commands;
}
