import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { type ClientUser, DiscordAPIError, Events, type Guild, REST, Routes } from 'discord.js';
import PQueue from 'p-queue';
import { z } from 'zod';
import { type App, openParts, type RunningApp } from './app.ts';
import { followDiscussions } from './articles/messages/discussion.ts';
import { followPreviews } from './articles/messages/preview.ts';
import { followPastedLinks } from './articles/posting/pasted-links.ts';
import type { Clock } from './runtime/clock.ts';
import { readAnswer } from './discord/api-errors.ts';
import { keepDeploying } from './discord/commands/deploy.ts';
import { type Commands, loadCommands } from './discord/commands/command.ts';
import { type ClientSettings, createClient } from './discord/gateway/client.ts';
import { onPacket } from './discord/gateway/packets.ts';
import { awaitSessions } from './discord/gateway/session-budget.ts';
import { openRouter } from './discord/interactions/router.ts';
import type { DiscordClock } from './discord/requests/discord-clock.ts';
import { openReactionQueue } from './discord/requests/reaction-queue.ts';
import { keepToken, limitAnswers, tellLongWaits } from './discord/requests/rest-hooks.ts';
import { gatewayRefusal } from './explain.ts';
import { welcomeGuilds } from './guilds/welcome.ts';
import { reindexLinks } from './ranking/articles/reindex.ts';
import { type Snowflake, zSnowflake } from './runtime/snowflake.ts';
import { deleteWrongIndexes } from './community/known-guilds.ts';
import { recountArticlesInVoting } from './votes/recount/compare.ts';
import { takeInRecent, takeInSoon } from './history/rebuild/recent.ts';
import { awaitIdentify } from './redis/identify.ts';
import { checkSchema } from './redis/startup-checks/schema-version.ts';
import type { Store } from './redis/store.ts';
import { openReactions } from './votes/events/reactions.ts';

const commandsFolder = join(import.meta.dirname, '../commands');

type StartOptions = Omit<ClientSettings, 'self' | 'waitToIdentify'> & {
  token: string;
  redis: Store['redis'];
  clock: Clock | DiscordClock;
  webAddress?: string | null;
  /** How long an answer of Discord may lag behind its gateway (ms): 5 s, where it is mostly far less. */
  answersLagMs?: number;
};

/**
 * Brings the bot onto Discord and resolves when it is ready and its commands are deployed.
 * The caller closes the connection to Redis.
 */
export async function startApp(options: StartOptions): Promise<RunningApp> {
  const { token, clock, log, shards = 'auto' } = options;
  const commands = await loadCommands(commandsFolder);
  const { rest, self, store } = await askWho(options);
  await deleteWrongIndexes(store);
  await awaitSessions(rest, shards === 'auto' ? null : shards.ids.length, clock, log);
  const client = createClient({
    ...options,
    self,
    // A single process needs no shared limit, so it connects at once after a restart.
    ...(shards === 'auto' ? {} : { waitToIdentify: awaitIdentify.bind(null, store, clock) }),
  });
  for (const made of ['MESSAGE_CREATE', 'INTERACTION_CREATE'] as const) {
    onPacket(client, made, zIdentified, ({ id }) => 'readId' in clock && clock.readId(id));
  }
  const parts = wire(options, { client, self, store }, commands);
  const lost = new Promise<never>((_, reject) => {
    client.once(Events.ShardDisconnect, ({ code }) => reject(gatewayRefusal(code)));
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
  await keepDeploying(parts.app, commands);
  return { ...parts, lost };
}

/**
 * Opens the bot without the gateway, for commands of the host. It gets no events and answers no member.
 * `guild` reads a guild; null if the bot is not in it.
 */
export async function openOverRest(options: StartOptions) {
  const { self, store } = await askWho(options);
  const client = createClient({ ...options, self });
  const { app, stop } = wire(options, { client, self, store }, new Map());
  return {
    app,
    stop,
    guild: async (id: Snowflake): Promise<Guild | null> => {
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

const zIdentified = z.object({ id: zSnowflake });

/**
 * Asks for the ids of the application, which its keys carry, and of its user. Old bots have two. Throws
 * `CannotStart` if the stored data is of another version.
 */
async function askWho(options: StartOptions) {
  const { apiBase, redis, log } = options;
  const rest = new REST({ api: apiBase });
  setUp(rest, options);
  const idOf = async (route: `/${string}`) => readAnswer(zIdentified, await rest.get(route)).id;
  const [applicationId, self] = await Promise.all([
    idOf(Routes.currentApplication()),
    idOf(Routes.user()),
  ]);
  const store = { redis, applicationId, log };
  await checkSchema(store);
  return { rest, self, store };
}

function setUp(rest: REST, { token, clock, log }: StartOptions): void {
  limitAnswers(rest);
  keepToken(rest, token);
  rest.setToken(token);
  if ('follow' in clock) clock.follow(rest);
  tellLongWaits(rest, clock, log);
}

function wire(
  options: StartOptions,
  who: Pick<App, 'client' | 'self' | 'store'>,
  commands: Commands,
): Omit<RunningApp, 'lost'> {
  const { clock, log, webAddress = null, messageContent = false, answersLagMs = 5000 } = options;
  const { client } = who;
  setUp(client.rest, options);
  const ending = new AbortController();
  const stopping = ending.signal;
  // Every wait in the bot listens to this signal, so there is no useful limit.
  setMaxListeners(0, stopping);
  const held = new PQueue();
  const hold = (work: Promise<unknown>) => void held.add(() => work).catch(() => {});
  const queue = openReactionQueue();
  const host = { clock, log, webAddress, messageContent, answersLagMs };
  const app: App = {
    ...openParts({ ...who, ...host, queue, stopping, hold }),
    recountArticleSoon(guild, id) {
      app.tasks.add(`lists of ${id}`, async () => {
        const one = { articles: [id], full: true, once: true };
        const { unread, doubtful } = await recountArticlesInVoting(app, guild, one);
        if (unread.length > 0) reactions.miss(guild, id);
        // Other tasks do not wait for that.
        const again = () => app.recountArticleSoon(guild, id);
        if (doubtful.length > 0) setTimeout(again, app.seen.lagMs).unref();
      });
    },
    takeIn: (guild) => takeInRecent(app, guild),
    takeInSoon: (guild) => hold(takeInSoon(app, guild)),
  };
  const reactions = openReactions(app);
  openRouter(app, commands);
  followGuilds(app);
  return {
    app,
    reactions,
    async stop() {
      ending.abort();
      await Promise.all([
        reactions.stop(),
        queue.stop(),
        app.tasks.stop(),
        app.messageUpdates.stop(),
        app.listing.stop(),
      ]);
      await held.onIdle();
      await app.ranking.changes.flush();
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
  welcomeGuilds(client, log);
  const reindex = ({ id }: Guild): void => {
    tasks.add(`links of ${id}`, () => reindexLinks(ranking, id, stopping));
  };
  client.on(Events.GuildAvailable, reindex);
  client.on(Events.GuildCreate, reindex);
}
