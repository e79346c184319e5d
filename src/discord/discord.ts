import type { Client } from 'discord.js';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Store } from '../redis/store.ts';
import { type DeployedCommands, openDeployedCommands } from './commands/deploy.ts';
import { openReactionQueue, type ReactionQueue } from './requests/reaction-queue.ts';
import { openRequests, type Requests } from './requests/requests.ts';
import { openTasks, type TaskQueue } from './requests/tasks.ts';
import { openTwin, type Twin } from './twin.ts';

export interface DiscordNeeds {
  /** The connection to Discord. The caller opens and closes it. */
  client: Client;
  /** The bot's own user: the author of all articles' messages. */
  self: Snowflake;
  /** Where refusals are remembered, so that a restart asks for nothing that Discord has just refused. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping: requests that wait for their turn end then. */
  stopping: AbortSignal;
}

/** What any bot needs of Discord besides the connection: requests at a pace, in turns, that stop where refused. */
export interface Discord {
  /** Requests that can wait. */
  requests: Requests;
  /** Changes of reactions that can wait, one after the other. */
  queue: ReactionQueue;
  /** Long work that is not urgent. */
  tasks: TaskQueue;
  /** Notices another program with the same token and other data. */
  twin: Twin;
  /** The commands as Discord has them, with their ids. */
  deployedCommands: DeployedCommands;
}

export function openDiscord(needs: DiscordNeeds): Discord {
  const { client, store, log } = needs;
  return {
    requests: openRequests(needs),
    queue: openReactionQueue(),
    tasks: openTasks(log),
    twin: openTwin(needs),
    deployedCommands: openDeployedCommands(client, store.applicationId),
  };
}
