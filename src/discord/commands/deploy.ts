import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type Client,
  InteractionContextType,
  type RESTPostAPIApplicationCommandsJSONBody as Body,
  Routes,
} from 'discord.js';
import { sharedKeys } from '../../redis/store-keys.ts';
import type { Log } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Store } from '../../redis/store.ts';

/**
 * Deploys the commands for all guilds at once, unless they are the same as those deployed last. Their
 * names and types are compared with Discord's own list too: another program may have changed that list.
 * Of several processes, the one with the first shard deploys them.
 */
export async function deployCommands(
  { client, store, log }: { client: Client; store: Store; log: Log },
  commands: ReadonlyMap<string, { data: Body }>,
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
    if (isDeepStrictEqual(namesOf(present), namesOf(body))) return;
  }
  await client.rest.put(route, { body });
  log.info({ commands: body.map(({ name }) => name) }, 'The commands are deployed.');
  await store.redis.set(key, hash).catch(() => {});
}

/** Commands of different types may have the same name. */
function namesOf(commands: readonly { type?: number | undefined; name: string }[]): string[] {
  return commands
    .map(({ type = ApplicationCommandType.ChatInput, name }) => `${type} ${name}`)
    .sort();
}

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
