import { createHash } from 'node:crypto';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type Client,
  InteractionContextType,
  Routes,
} from 'discord.js';
import { sharedKeys } from '../../redis/store-keys.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../../redis/store.ts';
import type { Command } from './command.ts';
import type { Commands } from './load.ts';

type Body = Command['data'];

/**
 * Deploys the commands for all guilds at once, unless they are the same as those deployed last. Their
 * names and types are compared with Discord's own list too: another program may have changed that list.
 * Of several processes, the one with the first shard deploys them.
 */
export async function deployCommands(
  { client, store, log }: { client: Client; store: Store; log: Log },
  commands: Commands,
): Promise<void> {
  if (!client.ws.shards.has(0)) return;
  const body: Body[] = [...commands.values()].map(({ data }) => ({
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    ...data,
  }));
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const route = Routes.applicationCommands(store.applicationId);
  const key = sharedKeys(store).deployed;
  // When Redis is down, the commands are deployed again, which changes nothing.
  if ((await store.redis.get(key).catch(() => null)) === hash) {
    const present = (await client.rest.get(route)) as APIApplicationCommand[];
    if (sorted(present) === sorted(body)) return;
  }
  await client.rest.put(route, { body });
  log.info({ commands: body.map(({ name }) => name) }, 'The commands are deployed.');
  await store.redis.set(key, hash).catch(() => {});
}

/** Commands of different types may have the same name. */
function nameOf({ type, name }: { type?: number | undefined; name: string }): string {
  return `${type ?? ApplicationCommandType.ChatInput} ${name}`;
}

function sorted(commands: Parameters<typeof nameOf>[0][]): string {
  return commands.map(nameOf).sort().join('\n');
}
