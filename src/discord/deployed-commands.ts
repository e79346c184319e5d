import { type APIApplicationCommand, Routes } from 'discord.js';
import type { Bot } from './bot.ts';

/** Somebody may have deployed them anew. */
const freshMs = 300_000;
const kept = new WeakMap<Bot, { commands: Promise<APIApplicationCommand[]>; readAtMs: number }>();

/** The commands as Discord has them, with their ids and in every language; kept for some minutes. */
export async function readDeployedCommands(bot: Bot): Promise<APIApplicationCommand[]> {
  const known = kept.get(bot);
  if (known && performance.now() - known.readAtMs < freshMs) return known.commands;
  const route = Routes.applicationCommands(bot.store.applicationId);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const commands = bot.client.rest.get(route, { query }) as Promise<APIApplicationCommand[]>;
  kept.set(bot, { commands, readAtMs: performance.now() });
  commands.catch(() => kept.delete(bot));
  return commands;
}
