import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
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
import { isLastingRefusal } from '../api-errors.ts';
import { sharedKeys } from '../../redis/store-keys.ts';
import { retry } from '../../runtime/retry.ts';
import { fault, faultLine, type Log } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Store } from '../../redis/store.ts';

/** The commands are there a moment later at most; an outage is not asked more often than this. */
const LONGEST_PAUSE_MS = 60_000;

export interface DeployNeeds {
  /** Sends the commands; its shards tell which process does it. */
  client: Client;
  /** Where it stands which commands are deployed. */
  store: Store;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/**
 * Deploys the commands, and tries again until it could, with growing pauses. Resolves after the first try.
 * What Discord refuses for good is an error of this version: it is logged once.
 */
export async function keepDeploying(
  needs: DeployNeeds,
  commands: ReadonlyMap<string, { data: Body }>,
): Promise<void> {
  const { log, stopping, hold } = needs;
  await new Promise<void>((resolve) => {
    const deployed = retry(() => deployCommands(needs, commands), {
      firstMs: 1000,
      longestMs: LONGEST_PAUSE_MS,
      isRetried(error, _, pauseMs) {
        if (stopping.aborted) return false;
        if (isLastingRefusal(error)) {
          log.error(fault(error), 'Discord refuses the commands of this version.');
          return false;
        }
        log.warn(
          faultLine(error),
          `The commands could not be deployed. It is tried again in ${pauseMs / 1000} s.`,
        );
        return true;
      },
      wait(pauseMs) {
        resolve();
        return pause(pauseMs, undefined, { signal: stopping, ref: false });
      },
    });
    hold(deployed.catch(() => {}).finally(resolve));
  });
}

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
  try {
    await client.rest.put(route, { body });
  } catch (error) {
    // Discord takes all of them or none: one that it refuses must not take the others along.
    if (!isLastingRefusal(error) || !(await deployEach(client, log, route, body))) throw error;
    return;
  }
  log.info({ commands: body.map(({ name }) => name) }, 'The commands are deployed.');
  await store.redis.set(key, hash).catch(() => {});
}

/**
 * Deploys each command by itself, and takes away those that this version has no more. Returns false if
 * Discord refuses all of them.
 */
async function deployEach(
  client: Client,
  log: Log,
  route: `/${string}`,
  body: readonly Body[],
): Promise<boolean> {
  const refused: string[] = [];
  for (const one of body) {
    try {
      await client.rest.post(route, { body: one });
    } catch (error) {
      if (!isLastingRefusal(error)) throw error;
      refused.push(one.name);
      log.error({ ...fault(error), command: one.name }, 'Discord refuses a command.');
    }
  }
  if (refused.length === body.length) return false;
  const wanted = new Set(namesOf(body));
  const present = (await client.rest.get(route)) as APIApplicationCommand[];
  for (const old of present) {
    if (!namesOf([old]).some((name) => wanted.has(name))) {
      await client.rest.delete(`${route}/${old.id}`);
    }
  }
  log.warn({ refused }, 'The commands are deployed, but for those that Discord refuses.');
  return true;
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
export type DeployedCommands = () => Promise<APIApplicationCommand[]>;

export function openDeployedCommands(client: Client, application: Snowflake): DeployedCommands {
  let known: { commands: Promise<APIApplicationCommand[]>; readAtMs: number } | undefined;
  return async () => {
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
