import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import {
  type Client,
  type ClientUser,
  DiscordAPIError,
  Events,
  type Guild,
  REST,
  Routes,
} from 'discord.js';
import PQueue from 'p-queue';
import type { App, RebuildStep, RunningApp, Search } from './app.ts';
import { CannotStart, exitCodes, GatewayRefusal } from './cannot-start.ts';
import type { Clock } from './clock.ts';
import type { DiscordClock } from './discord/requests/discord-clock.ts';
import { fault, type Log } from './log.ts';
import { openMutex } from './mutex.ts';
import { awaitIdentify } from './redis/identify.ts';
import { otherSchema } from './redis/startup-checks/schema-version.ts';
import type { Store } from './redis/store.ts';
import { openRanking } from './ranking/ranking.ts';
import type { Direction } from './ranking/row.ts';
import type { Snowflake } from './ranking/snowflake.ts';
import { TopLists } from './ranking/lists/top-lists.ts';
import { openMessageUpdates } from './articles/messages/message-updates.ts';
import { openOwnMessages } from './discord/requests/own-messages.ts';
import { openOwnReactions } from './articles/messages/own-reactions.ts';
import { followDeletedChannels } from './articles/deleted-channels.ts';
import { followDiscussions } from './articles/messages/discussion.ts';
import { followPreviews } from './articles/messages/preview.ts';
import { openPace } from './discord/requests/pace.ts';
import { openPacedRequests } from './discord/requests/paced-requests.ts';
import { openReactionQueue } from './discord/requests/reaction-queue.ts';
import { openMemberLimits } from './discord/access/member-limits.ts';
import { deleteWrongIndexes } from './records/guilds.ts';
import { openRefusals } from './discord/requests/refusals.ts';
import { recountOpen } from './recount/compare.ts';
import { takeInRecent, takeInSoon } from './recount/rebuild/recent.ts';
import { openTasks } from './discord/requests/tasks.ts';
import { tellLongWaits } from './discord/requests/invalid-requests.ts';
import { keepToken, limitAnswers } from './discord/requests/rest-hooks.ts';
import { awaitSessions } from './discord/gateway/session-budget.ts';
import { readApplicationId, zIdentified } from './discord/application.ts';
import { readAnswer } from './discord/api-errors.ts';
import { createClient, type Shards } from './discord/gateway/client.ts';
import { type Commands, loadCommands } from './discord/commands/load.ts';
import { deployCommands } from './discord/commands/deploy.ts';
import { openDeployedCommands } from './discord/commands/deployed-commands.ts';
import { openGuildRules } from './eligibility/guild-rules.ts';
import { openReactions } from './voting/reactions.ts';
import { openTakenAwayReactions } from './voting/taken-away-reactions.ts';
import { reindexLinks } from './ranking/articles/reindex.ts';
import { followPastedLinks } from './articles/posting/pasted-links.ts';
import { openRouter } from './discord/interactions/router.ts';
import { trackPendingPosts } from './articles/posting/pending.ts';
import { openEmojiVariants } from './voting/emoji-variants.ts';
import { openConcurrentVotes } from './voting/concurrent-votes.ts';
import { followVisibility } from './discord/access/visibility.ts';
import { welcomeGuilds } from './guilds/welcome.ts';

/** Each may hold 25 MB. */
const RESTORES_AT_MOST = 4;

const commandsFolder = join(import.meta.dirname, '../commands');

type StartOptions = {
  token: string;
  apiBase: string;
  redis: Store['redis'];
  clock: Clock | DiscordClock;
  log: Log;
  webAddress?: string | null;
  /** Whether the host has switched on the Message Content intent. */
  messageContent?: boolean;
  /** The shards that this process serves. By default, it serves all. */
  shards?: Shards;
  /** Discord's limit for all processes of the bot. */
  requestsPerSecond?: number;
};

/**
 * Brings the bot onto Discord and resolves when it is ready and its commands are deployed.
 * The caller closes the connection to Redis.
 */
export async function startApp(options: StartOptions): Promise<RunningApp> {
  const { token, apiBase, clock, log, messageContent = false } = options;
  const { shards = 'auto', requestsPerSecond } = options;
  const commands = await loadCommands(commandsFolder);
  const { rest, self, store } = await askWho(options);
  // Check before the first event, which may be written.
  const refusal = await otherSchema(store);
  if (refusal !== null) throw new CannotStart(refusal, exitCodes.config);
  await deleteWrongIndexes(store);
  await awaitSessions(rest, shards === 'auto' ? null : shards.ids.length, clock, log);
  const client = createClient({
    apiBase,
    log,
    self,
    messageContent,
    shards,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    // A single process needs no shared limit, so it connects at once after a restart.
    ...(shards === 'auto' ? {} : { waitToIdentify: awaitIdentify.bind(null, store, clock) }),
  });
  if ('follow' in clock) followTime(client, clock);
  keepToken(client.rest, token);
  tellLongWaits(client.rest, clock, log);
  const parts = wire(options, { client, self, store }, commands);
  const lost = new Promise<never>((_, reject) => {
    client.once(Events.ShardDisconnect, ({ code }) => reject(new GatewayRefusal(code)));
  });
  lost.catch(() => {}); // The caller listens too; this prevents an unhandled rejection before that.
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  try {
    // A refused login does not reject and does not end by itself.
    await Promise.race([client.login(token).then(() => ready), lost]);
  } catch (error) {
    await parts.stop().catch(() => {}); // The first fault is the reason.
    throw error;
  }
  await deployCommands(parts.app, commands).catch((error: unknown) => {
    log.error(fault(error), 'The commands could not be deployed; the next start tries again.');
  });
  return { ...parts, lost };
}

/**
 * Opens the bot without the gateway, for commands of the host. It gets no events and answers no member.
 * `guild` reads a guild; null if the bot is not in it.
 */
export async function openOverRest(options: StartOptions): Promise<{
  app: App;
  guild: (id: Snowflake) => Promise<Guild | null>;
  stop: () => Promise<void>;
}> {
  const { self, store } = await askWho(options);
  const client = createClient({ apiBase: options.apiBase, log: options.log, self });
  client.rest.setToken(options.token);
  const { app, stop } = wire(options, { client, self, store }, new Map());
  return {
    app,
    stop,
    async guild(id) {
      try {
        // READY would set the user. The bot's permissions are those of its own member.
        client.user ??= (await client.users.fetch(self)) as ClientUser;
        const guild = await client.guilds.fetch(id);
        await guild.channels.fetch();
        await Promise.all([guild.channels.fetchActiveThreads(), guild.members.fetch(self)]);
        return guild;
      } catch (error) {
        if (error instanceof DiscordAPIError && error.status === 404) return null;
        throw error;
      }
    },
  };
}

/** Asks for the ids of the application, which its keys carry, and of its user. Old bots have two. */
async function askWho({ token, apiBase, redis, clock, log }: StartOptions) {
  const rest = new REST({ api: apiBase }).setToken(token);
  limitAnswers(rest);
  if ('follow' in clock) clock.follow(rest);
  tellLongWaits(rest, clock, log);
  const [applicationId, user] = await Promise.all([
    readApplicationId(rest),
    rest.get(Routes.user()),
  ]);
  const { id: self } = readAnswer(zIdentified, user);
  return { rest, self, store: { redis, applicationId, log } };
}

function followTime(client: Client, clock: DiscordClock): void {
  clock.follow(client.rest);
  client.on(Events.Raw, ({ t, d }: { t: string; d: unknown }) => {
    if (t !== 'MESSAGE_CREATE' && t !== 'INTERACTION_CREATE') return;
    const made = zIdentified.safeParse(d);
    if (made.success) clock.readId(made.data.id);
  });
}

function wire(
  options: StartOptions,
  { client, self, store }: Pick<App, 'client' | 'self' | 'store'>,
  commands: Commands,
): Omit<RunningApp, 'lost'> {
  const { redis, clock, log, webAddress = null, messageContent = false } = options;
  const ranking = openRanking(redis, store.applicationId);
  const stopping = new AbortController();
  const { signal } = stopping;
  limitAnswers(client.rest);
  // Every wait in the bot listens to this signal, so there is no useful limit.
  setMaxListeners(0, signal);
  const held = openHeldWork();
  const ownMessages = openOwnMessages(client, self);
  const refusals = openRefusals(client, store, clock, log);
  const pace = openPace(client);
  const parts = {
    client,
    self,
    store,
    ranking,
    clock,
    log,
    webAddress,
    messageContent,
    lists: new TopLists(ranking, clock),
    tasks: openTasks(log),
    rules: openGuildRules(store, log),
    pendingPosts: trackPendingPosts(),
    concurrentVotes: openConcurrentVotes(),
    emojiVariants: openEmojiVariants(),
    recountInTurn: openMutex(),
    uncounted: new Map<Snowflake, Record<Direction, number>>(),
    rebuilding: new Map<Snowflake, RebuildStep>(),
    memberLimits: openMemberLimits(),
    restores: new PQueue({ concurrency: RESTORES_AT_MOST }),
    searches: new Map<Snowflake, Search>(),
    deployedCommands: openDeployedCommands(client, store.applicationId),
    ownMessages,
    refusals,
    pace,
    requests: openPacedRequests({ client, ownMessages, refusals, pace, stopping: signal }),
    stopping: signal,
    hold: held.add,
  };
  const queue = openReactionQueue();
  const app: App = {
    ...parts,
    messageUpdates: openMessageUpdates(parts),
    ownReactions: openOwnReactions({ ...parts, queue }),
    takenAwayReactions: openTakenAwayReactions({ ...parts, queue }),
    recountArticleSoon(guild, id) {
      parts.tasks.add(`lists of ${id}`, async () => {
        const { unread } = await recountOpen(app, guild, { articles: [id], full: true });
        if (unread.length > 0) reactions.miss(guild, id);
      });
    },
    takeIn: (guild) => takeInRecent(app, guild),
    takeInSoon: (guild) => held.add(takeInSoon(app, guild)),
  };
  const reactions = openReactions(app);
  openRouter(app, commands);
  followGuilds(app);
  return {
    app,
    reactions,
    async stop() {
      stopping.abort();
      await Promise.all([
        reactions.stop(),
        queue.stop(),
        app.tasks.stop(),
        app.messageUpdates.stop(),
      ]);
      await held.settled();
      await ranking.changes.flush();
      app.lists.stop();
      await client.destroy();
    },
  };
}

function followGuilds(app: App): void {
  const { client, ranking, tasks, log, stopping } = app;
  followPreviews(app);
  followDiscussions(app);
  if (app.messageContent) followPastedLinks(app);
  followVisibility(client, ranking, tasks);
  followDeletedChannels(client, ranking, tasks);
  welcomeGuilds(client, log);
  const reindex = ({ id }: Guild): void => {
    tasks.add(`links of ${id}`, () => reindexLinks(ranking, id, stopping));
  };
  client.on(Events.GuildAvailable, reindex);
  client.on(Events.GuildCreate, reindex);
}

/** The work for which the end of the bot waits. */
function openHeldWork() {
  const held = new Set<Promise<unknown>>();
  return {
    add: (work: Promise<unknown>): void => {
      held.add(work);
      void work.finally(() => held.delete(work)).catch(() => {});
    },
    settled: async (): Promise<void> => {
      while (held.size > 0) await Promise.allSettled(held);
    },
  };
}
