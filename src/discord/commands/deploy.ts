import { createHash } from 'node:crypto';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  RateLimitError,
  Routes,
} from 'discord.js';
import { readDeployed, writeDeployed } from '../../redis/deployed-hash.ts';
import type { App } from '../../app.ts';
import { fault } from '../../log.ts';
import { isRefusal } from '../api-errors.ts';
import type { Command } from './command.ts';
import type { Commands } from './load.ts';

type Body = Command['data'];

/**
 * Deploys the commands for all guilds at once, unless they are the same as those deployed last. Their
 * names and types are compared with Discord's own list too: another program may have changed that list.
 * Of several processes, the one with the first shard deploys them.
 */
export async function deployCommands(
  app: Pick<App, 'client' | 'store' | 'log'>,
  commands: Commands,
): Promise<void> {
  const { client, store, log } = app;
  if (!client.ws.shards.has(0)) return;
  const body: Body[] = [...commands.values()].map(({ data }) => ({
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    ...data,
  }));
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const route = Routes.applicationCommands(store.applicationId);
  // When Redis is down, the commands are deployed again, which changes nothing.
  if ((await readDeployed(store).catch(() => null)) === hash) {
    const present = (await client.rest.get(route)) as APIApplicationCommand[];
    if (sorted(present) === sorted(body)) return;
  }
  try {
    await client.rest.put(route, { body });
  } catch (error) {
    if (!isLasting(error)) throw error;
    log.error(fault(error), 'Discord refuses the commands. They are deployed one by one.');
    // Without a stored hash, the next start tries all of them again.
    return deployOneByOne(app, body);
  }
  log.info({ commands: body.map(({ name }) => name) }, 'The commands are deployed.');
  await writeDeployed(store, hash).catch(() => {});
}

/** Deploys each command that Discord accepts, so that one bad value leaves no guild without commands. */
async function deployOneByOne(
  { client, store, log }: Pick<App, 'client' | 'store' | 'log'>,
  body: Body[],
): Promise<void> {
  const route = Routes.applicationCommands(store.applicationId);
  const refused: string[] = [];
  for (const command of body) {
    try {
      await client.rest.post(route, { body: command });
    } catch (error) {
      if (!isLasting(error)) throw error;
      refused.push(command.name);
      log.error({ ...fault(error), command: command.name }, 'Discord refuses a command.');
    }
  }
  const wanted = new Set(body.map(nameOf));
  for (const present of (await client.rest.get(route)) as APIApplicationCommand[]) {
    if (wanted.has(nameOf(present))) continue;
    try {
      await client.rest.delete(Routes.applicationCommand(store.applicationId, present.id));
    } catch (error) {
      if (!isLasting(error)) throw error;
      log.error({ ...fault(error), command: present.name }, 'An old command cannot be deleted.');
    }
  }
  log.error({ refused }, 'The commands are deployed, except those that Discord refuses.');
}

/** Whether Discord would refuse the request again. */
function isLasting(error: unknown): boolean {
  return error instanceof RateLimitError || isRefusal(error);
}

/** Commands of different types may have the same name. */
function nameOf({ type, name }: { type?: number | undefined; name: string }): string {
  return `${type ?? ApplicationCommandType.ChatInput} ${name}`;
}

function sorted(commands: Parameters<typeof nameOf>[0][]): string {
  return commands.map(nameOf).sort().join('\n');
}
