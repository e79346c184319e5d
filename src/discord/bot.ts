import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import {
  type APIApplication,
  type APIUser,
  type Client,
  type ClientUser,
  DiscordAPIError,
  Events,
  type Guild,
  REST,
  Routes,
} from 'discord.js';
import type { Clock } from '../clock.ts';
import { fault, type Log } from '../log.ts';
import { awaitIdentify } from '../store/identify.ts';
import { prepareSchema } from '../store/schema.ts';
import { openStore, type Store } from '../store/store.ts';
import { openRanking, type Ranking } from '../voting/ranking.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import { TopLists } from '../voting/top-lists.ts';
import { type ArticleEdits, openArticleEdits } from './article-edits.ts';
import { type BackgroundRequests, openBackgroundRequests } from './background-requests.ts';
import { type Chores, openChores } from './chores.ts';
import { createClient, type Shards } from './client.ts';
import { type Commands, loadCommands } from './commands.ts';
import { deployCommands } from './deploy.ts';
import { type GuildRules, openGuildRules } from './guild-rules.ts';
import { type Intake, openIntake } from './intake.ts';
import { type Judging, openJudging } from './judging.ts';
import { openOlderReactions } from './older-reactions.ts';
import type { RebuildStep } from './rebuild-step.ts';
import type { PublicAddresses } from './public-addresses.ts';
import { followRescoring } from './rescoring.ts';
import { followPastedLinks } from './pasted-links.ts';
import { outlast } from './outage.ts';
import { openRouter } from './router.ts';
import { type Sends, trackSends } from './sends.ts';
import { openStrangers } from './strangers.ts';
import { openVariants } from './variants.ts';
import { openVoteNotes, type VoteNotes } from './vote-notes.ts';
import { followVisibility } from './visibility.ts';
import { welcomeGuilds } from './welcome.ts';

/** What every command and job works with. */
export type Bot = {
  client: Client;
  /** The bot's own user, the author of all articles' messages. */
  self: Snowflake;
  ranking: Ranking;
  /** The first pages of the ranking's lists, kept in the process. */
  lists: TopLists;
  store: Store;
  clock: Clock;
  log: Log;
  /** Messages may be read: the host has switched the intent on. */
  messageContent: boolean;
  sends: Sends;
  background: BackgroundRequests;
  edits: ArticleEdits;
  notes: VoteNotes;
  /** What each guild demands, kept in the process. */
  rules: GuildRules;
  /** Long work that is not urgent. */
  chores: Chores;
  /** Judges voters anew by what Discord says of them. */
  judging: Judging;
  /** The guilds whose ranking is being put back together, as far as this process knows. */
  rebuilding: Map<Snowflake, RebuildStep>;
  /** Null where the host serves no web pages. */
  addresses: PublicAddresses | null;
  /** Aborted when the bot is stopping: what waits for better times gives up. */
  stopping: AbortSignal;
};

export type RunningBot = {
  bot: Bot;
  intake: Intake;
  /** Work that `stop` waits for; it should end early once `bot.stopping` is aborted. */
  hold(work: Promise<unknown>): void;
  /** Rejects with `GatewayRefusal` when Discord ends the connection for good. */
  lost: Promise<never>;
  /** Takes no new work, lets what is in flight end, and leaves Discord. */
  stop(): Promise<void>;
};

/** The stored data cannot be used; the message says what to do. */
export class SchemaRefusal extends Error {
  override readonly name = 'SchemaRefusal';
}

/** Discord ended the connection with a code after which connecting again is of no use. */
export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal';
  /** One of `GatewayCloseCodes`. */
  readonly closeCode: number;

  constructor(closeCode: number) {
    super(`Discord ended the connection for good (code ${closeCode}).`);
    this.closeCode = closeCode;
  }
}

const commandsFolder = join(import.meta.dirname, '../../commands');

/**
 * Brings the bot onto Discord and resolves when it is ready and its commands are deployed.
 * The connection to Redis stays the caller's.
 */
export async function startBot(settings: {
  token: string;
  apiBase: string;
  redis: Parameters<typeof openStore>[0];
  clock: Clock;
  log: Log;
  addresses?: PublicAddresses | null;
  /** The host has switched on that messages may be read. */
  messageContent?: boolean;
  /** The part of the guilds that this process serves; all of them unless said. */
  shards?: Shards;
  /** What Discord allows all processes together. */
  requestsPerSecond?: number;
}): Promise<RunningBot> {
  const { token, apiBase, redis, clock, log, addresses = null, messageContent = false } = settings;
  const { shards = 'auto' } = settings;
  const commands = await loadCommands(commandsFolder);
  const rest = new REST({ api: apiBase }).setToken(token);
  const { id } = (await rest.get(Routes.currentApplication())) as APIApplication;
  const ownStore = openStore(redis, id, log);
  // Before the first event, which may be written.
  const schema = await outlast(() => prepareSchema(ownStore));
  if (schema.status === 'refused') throw new SchemaRefusal(schema.reason);
  const client = createClient({
    apiBase,
    log,
    messageContent,
    shards,
    ...(settings.requestsPerSecond === undefined
      ? {}
      : { requestsPerSecond: settings.requestsPerSecond }),
    // One process alone keeps to the limit by itself, and is back at once after a restart.
    ...(shards === 'auto' ? {} : { waitToIdentify: awaitIdentify.bind(null, ownStore) }),
  });
  const parts = onFirstReady(client, (self, applicationId) => {
    const ranking = openRanking(redis, applicationId);
    const store = openStore(redis, applicationId, log);
    return wire({ client, self, ranking, store, clock, log, addresses, messageContent }, commands);
  });
  const lost = new Promise<never>((_, reject) => {
    client.once(Events.ShardDisconnect, ({ code }) => reject(new GatewayRefusal(code)));
  });
  lost.catch(() => {}); // Whoever wants to know listens too.
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  try {
    // A refused login neither fails nor ends by itself.
    await Promise.race([client.login(token).then(() => ready), lost]);
  } catch (error) {
    await client.destroy();
    throw error;
  }
  const running = { ...(await parts), lost };
  await deployCommands(running.bot, commands).catch((error: unknown) => {
    log.error(fault(error), 'The commands could not be deployed; the next start tries again.');
  });
  return running;
}

/**
 * The bot without the gateway, for work by hand on one guild, which it reads first: it hears of
 * nothing and answers nobody. Null where the bot is not in that guild.
 */
export async function openOverRest(
  settings: Parameters<typeof startBot>[0],
  guildId: Snowflake,
): Promise<{ bot: Bot; guild: Guild; stop(): Promise<void> } | null> {
  const { token, apiBase, redis, clock, log, messageContent = false } = settings;
  const rest = new REST({ api: apiBase }).setToken(token);
  const { id: self } = (await rest.get(Routes.user())) as APIUser;
  const application = (await rest.get(Routes.currentApplication())) as APIApplication;
  const client = createClient({ apiBase, log, self });
  client.rest.setToken(token);
  const ranking = openRanking(redis, application.id);
  const store = openStore(redis, application.id, log);
  const { bot, stop } = wire(
    { client, self, ranking, store, clock, log, addresses: null, messageContent },
    new Map(),
  );
  try {
    // As after READY: what the bot may do follows from its own member.
    client.user = (await client.users.fetch(self)) as ClientUser;
    const guild = await client.guilds.fetch(guildId);
    await Promise.all([guild.channels.fetch(), guild.members.fetch(self)]);
    return { bot, guild, stop };
  } catch (error) {
    await stop();
    if (error instanceof DiscordAPIError && error.status === 404) return null;
    throw error;
  }
}

/**
 * The raw READY tells the ids that the keys are made of, before the first event that needs them.
 * It comes again after every new session, for which nothing has to be wired again.
 */
function onFirstReady<T>(
  client: Client,
  wireUp: (self: Snowflake, applicationId: Snowflake) => T,
): Promise<T> {
  return new Promise((resolve) => {
    client.ws.once(
      'READY' as never,
      ({ user, application }: { user: { id: Snowflake }; application: { id: Snowflake } }) =>
        resolve(wireUp(user.id, application.id)),
    );
  });
}

function wire(
  parts: Pick<
    Bot,
    'client' | 'self' | 'ranking' | 'store' | 'clock' | 'log' | 'addresses' | 'messageContent'
  >,
  commands: Commands,
): Omit<RunningBot, 'lost'> {
  const { client, ranking, clock, log, self } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Whoever waits for something listens to it.
  setMaxListeners(0, signal);
  const sends = trackSends();
  const notes = openVoteNotes();
  const lists = new TopLists(ranking);
  const background = openBackgroundRequests(client, signal);
  const rules = openGuildRules(parts.store, log);
  const chores = openChores(log);
  const edits = openArticleEdits({
    client,
    ranking,
    store: parts.store,
    background,
    rules,
    clock,
    log,
    stopping: signal,
  });
  const rebuilding = new Map<Snowflake, RebuildStep>();
  const judging = openJudging({ client, ranking, rules, clock, edits, log, stopping: signal });
  const bot: Bot = {
    ...parts,
    sends,
    notes,
    rules,
    chores,
    judging,
    lists,
    background,
    edits,
    rebuilding,
    stopping: signal,
  };
  const variants = openVariants({
    client,
    log,
    onStillShown: (reaction) =>
      intake.take({ ...reaction, kind: 'reaction', shown: true, atMs: clock.now() }),
  });
  const older = openOlderReactions({ client, ranking, log, variants });
  const strangers = openStrangers({
    client,
    log,
    onBot: (reaction) =>
      intake.take({ ...reaction, kind: 'reaction', shown: false, atMs: clock.now() }),
  });
  const intake = openIntake({
    client,
    ranking,
    rules,
    store: parts.store,
    clock,
    log,
    self,
    sends,
    older,
    variants,
    strangers,
    chores,
    notes,
    edits,
  });
  const router = openRouter(bot, commands);
  const pasted = bot.messageContent ? followPastedLinks(client, bot) : null;
  followVisibility(client, ranking, chores);
  welcomeGuilds(client, log);
  followRescoring(client, ranking, chores);
  const held = new Set<Promise<unknown>>();
  return {
    bot,
    intake,
    hold(work) {
      held.add(work);
      void work.finally(() => held.delete(work)).catch(() => {});
    },
    async stop() {
      stopping.abort();
      await Promise.all([
        router.stop(),
        pasted?.stop(),
        intake.stop(),
        older.stop(),
        variants.stop(),
        strangers.stop(),
        chores.stop(),
        judging.stop(),
        edits.stop(),
      ]);
      await Promise.allSettled(held);
      await ranking.changes.flush();
      lists.stop();
      await client.destroy();
    },
  };
}
