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
import { z } from 'zod';
import { type Articles, openArticles } from './articles/articles.ts';
import { type Backup, openBackup } from './backup/backup.ts';
import { type Board, openBoard } from './board/board.ts';
import { readBoard } from './board/stored-board.ts';
import { type Community, openCommunity } from './community/community.ts';
import {
  deleteOldIndex,
  deleteWrongIndexes,
  setAsideWrongTypes,
} from './community/known-guilds.ts';
import { requireWithinLimit } from './community/member-limits.ts';
import { type Digests, openDigests } from './digests/digests.ts';
import { readDigests } from './digests/stored-digests.ts';
import { type Due, openDue } from './due/due.ts';
import { type Earlier, openEarlier } from './earlier/earlier.ts';
import { communityOf, listedIn } from './discord/access/visibility.ts';
import { isUnanswered, readAnswer } from './discord/api-errors.ts';
import { type Command, type Commands, loadCommands } from './discord/commands/command.ts';
import { keepDeploying } from './discord/commands/deploy.ts';
import { type Discord, openDiscord } from './discord/discord.ts';
import { type ClientSettings, createClient } from './discord/gateway/client.ts';
import { onPacket } from './discord/gateway/packets.ts';
import { awaitSessions } from './discord/gateway/session-budget.ts';
import { openRouter } from './discord/interactions/router.ts';
import { limits } from './discord/limits.ts';
import { type MemberNames, openMemberNames } from './discord/member-names.ts';
import type { DiscordClock } from './discord/requests/discord-clock.ts';
import {
  countAnswers,
  keepToken,
  limitAnswers,
  refuseForeignAnswers,
  tellLongWaits,
} from './discord/requests/rest-hooks.ts';
import { gatewayRefusal } from './explain.ts';
import { type Guilds, openGuilds } from './guilds/guilds.ts';
import { welcomeGuilds } from './guilds/welcome.ts';
import { type History, openHistory } from './history/history.ts';
import {
  type Nominations,
  type NominationsNeeds,
  openNominations,
} from './nominations/nominations.ts';
import { type Moderation, openModeration } from './moderation/moderation.ts';
import { openPersonal, type Personal } from './personal/personal.ts';
import { openPrivacy, type Privacy } from './privacy/privacy.ts';
import { TopLists } from './ranking/lists/top-lists.ts';
import { openRanking, type Ranking } from './ranking/ranking.ts';
import { editionAddress } from './web/edition-address.ts';
import { openWarnings } from './redis/errors.ts';
import { awaitIdentify } from './redis/identify.ts';
import { checkSchema } from './redis/startup-checks/schema-version.ts';
import type { Store } from './redis/store.ts';
import { beginSpread } from './runtime/begin-spread.ts';
import type { Clock } from './runtime/clock.ts';
import { everyMinute, type MinuteJob } from './runtime/every-minute.ts';
import type { Log } from './runtime/log.ts';
import { emitMetric } from './runtime/metrics.ts';
import { tellServiceManager } from './runtime/service-manager.ts';
import { type Snowflake, zSnowflake } from './runtime/snowflake.ts';
import { upgrades } from './upgrades.ts';
import { closingKind } from './votes/close-articles.ts';
import { lookAtRestored } from './votes/recount/closed-articles.ts';
import type { RecountNeeds } from './votes/recount-needs.ts';
import { recountArticlesInVoting } from './votes/recount/recount-guild.ts';
import { followRecounts, type Recounts } from './votes/recount/recount-kinds.ts';
import { openVotes, type Votes, type VotesNeeds } from './votes/votes.ts';

/** What the process gives to every feature. */
interface Foundation {
  /** The connection to Discord. */
  client: Client;
  /** The bot's own user, the author of all articles' messages. */
  self: Snowflake;
  /** The connection to Redis, and the application whose keys it has. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** The process's log. */
  log: Log;
  /** Where the host serves web pages, without a slash at the end; null if it serves none. */
  webAddress: string | null;
  /** Whether the host has switched on the Message Content intent. */
  messageContent: boolean;
  /** How long an answer of Discord may lag behind its gateway (ms). */
  answersLagMs: number;
  /** Aborted when the bot is stopping. Waits and retries must then end. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

/**
 * The opened features, for the commands. What a feature shares with those above it, such as the rules of
 * a guild, stands beside the feature's door.
 */
export interface Bot extends Foundation, Discord, Community, Articles, Votes, History {
  /** The articles, their votes and lists. */
  ranking: Ranking;
  /** What the bot does by itself, and when. */
  due: Due;
  /** The first pages of the ranking's lists, cached in the process. */
  lists: TopLists;
  /** A guild's file, restored. */
  backup: Backup;
  /** The message that always shows the ten best. */
  board: Board;
  /** What was there before on an article's subject. */
  earlier: Earlier;
  /** Scheduled editions of the best, and announcements. */
  digests: Digests;
  /** Links that become articles because members like the messages that have them. */
  nominations: Nominations;
  /** What moderators do. */
  moderation: Moderation;
  /** What a member keeps for themself. */
  personal: Personal;
  /** What members can do about their own data. */
  privacy: Privacy;
  /** The names of members, for what is read outside Discord. */
  names: MemberNames;
}

/** A command, by what it needs of the bot. It does not compile if the bot lacks that. */
export type BotCommand<Needs> = Bot extends Needs
  ? Command<Needs>
  : { theBotLacks: Exclude<keyof Needs, keyof Bot> };

export interface RunningBot extends Bot {
  /** Rejects with `CannotStart` when Discord ends the connection for good. */
  lost: Promise<never>;
  /** Takes no new work, waits for the work under way, and disconnects from Discord. */
  stop(): Promise<void>;
}

/** The bot without the gateway, for commands of the host. */
export interface BotOverRest extends Bot {
  /** Asks Discord for a guild with its channels. Null if the bot is not in it. */
  readGuild(id: Snowflake): Promise<Guild | null>;
  /** Waits for the work under way, and ends. */
  stop(): Promise<void>;
}

const commandsFolder = join(import.meta.dirname, '../commands');

type StartOptions = Omit<ClientSettings, 'self' | 'waitToIdentify'> & {
  token: string;
  redis: Store['redis'];
  clock: Clock | DiscordClock;
  webAddress?: string | null;
  /** How long an answer of Discord may lag behind its gateway (ms): 5 s, where it is mostly far less. */
  answersLagMs?: number;
  /** How long Discord waits for the first answer to an interaction (ms): 3 s. A test's Discord has more patience. */
  answerWithinMs?: number;
};

/**
 * Brings the bot onto Discord and resolves when it is ready and its commands are deployed.
 * The caller closes the connection to Redis.
 */
export async function startBot(options: StartOptions): Promise<RunningBot> {
  const { token, clock, log, shards = 'auto' } = options;
  const commands = await loadCommands<Bot>(commandsFolder);
  const { rest, self, store } = await askWho(options);
  await deleteWrongIndexes(store);
  await deleteOldIndex(store);
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
  const bot = wire(options, { client, self, store }, commands);
  const lost = new Promise<never>((_, reject) => {
    client.once(Events.ShardDisconnect, ({ code }) => reject(gatewayRefusal(code)));
  });
  lost.catch(() => {}); // The caller listens too; this prevents an unhandled rejection before that.
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  try {
    // A refused login does not reject and does not end by itself.
    await Promise.race([client.login(token).then(() => ready), lost]);
  } catch (error) {
    await bot.stop().catch(() => {}); // The first fault is the reason.
    throw error;
  }
  await keepDeploying(bot, commands);
  return Object.assign(bot, { lost });
}

/** Opens the bot without the gateway, for commands of the host. It gets no events and answers no member. */
export async function openOverRest(options: StartOptions): Promise<BotOverRest> {
  const { self, store } = await askWho(options);
  const client = createClient({ ...options, self });
  const bot = wire(options, { client, self, store }, new Map(), false);
  return Object.assign(bot, {
    readGuild: async (id: Snowflake): Promise<Guild | null> => {
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
  });
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
  await checkSchema(store, upgrades);
  return { rest, self, store };
}

function setUp(
  rest: REST,
  { token, clock, log, answerWithinMs = limits.firstAnswerMs }: StartOptions,
): void {
  limitAnswers(rest, answerWithinMs);
  refuseForeignAnswers(rest);
  keepToken(rest, token);
  rest.setToken(token);
  if ('follow' in clock) clock.follow(rest);
  tellLongWaits(rest, clock, log);
}

type Who = Pick<Foundation, 'client' | 'self' | 'store'>;

function wire(
  options: StartOptions,
  who: Who,
  commands: Commands<Bot>,
  follows = true,
): Omit<RunningBot, 'lost'> {
  setUp(who.client.rest, options);
  const { clock, log, webAddress = null, messageContent = false, answersLagMs = 5000 } = options;
  const ending = new AbortController();
  // Every wait in the bot listens to this signal, so there is no useful limit.
  setMaxListeners(0, ending.signal);
  const held = new PQueue();
  const bot = openBot(
    {
      ...who,
      clock,
      log,
      webAddress,
      messageContent,
      answersLagMs,
      stopping: ending.signal,
      hold: (work) => void held.add(() => work).catch(() => {}),
    },
    follows,
  );
  const mayComplete = (guild: Snowflake, member: Snowflake): boolean =>
    bot.memberLimits.count('complete', guild, member) === 0 &&
    bot.memberLimits.count('completes', guild, guild) === 0;
  const requireUse = (guild: Snowflake | null, member: Snowflake): void =>
    requireWithinLimit(bot, guild, member, 'use');
  const { answerWithinMs = limits.firstAnswerMs } = options;
  openRouter({ ...bot, answerWithinMs, mayComplete, requireUse }, bot, commands);
  welcomeGuilds(bot);
  return Object.assign(bot, {
    async stop() {
      ending.abort();
      const { reactions, queue, tasks, due, listing } = bot;
      await Promise.all([reactions, queue, tasks, due, listing].map((it) => it.stop()));
      await held.onIdle();
      await bot.ranking.changes.flush();
      bot.lists.stop();
      await bot.client.destroy();
    },
  });
}

/** Opens the features, each with what it needs of those below it. */
function openBot(foundation: Foundation, follows: boolean): Bot {
  const { client, store } = foundation;
  const ranking = openRanking({
    redis: store.redis,
    applicationId: store.applicationId,
    isListed: listedIn(client),
    onPlanned: (guild, atMs) => notePlanned(guild, atMs),
    // Many reads find the same damage.
    onDamaged: (guild) =>
      void due.plan(guild, 'check', foundation.clock.now() + DAMAGED_MS).catch(() => {}),
  });
  const lists = new TopLists(ranking, foundation.clock);
  const discord = openDiscord(foundation);
  const community = openCommunity({
    ...foundation,
    onSettings: (...read) => {
      for (const one of [articles.listing, nominations]) one.followSettings(...read);
    },
  });
  const due = openDue({
    ...foundation,
    guilds: () => client.guilds.cache.filter(({ available }) => available).keys(),
    isUnanswered,
    answers: countAnswers(client.rest),
    tell: (guild, atMs) => ranking.changes.notePlanned(guild, atMs),
    onDamage: (guild) => setAside({ ranking, store }, guild),
    follows,
  });
  function notePlanned(guild: Snowflake, atMs: number): void {
    due.wake(guild, atMs);
    ranking.changes.notePlanned(guild, atMs);
  }
  if (follows) followPlans(client, lists, due);
  const base = { ...foundation, ...discord, ...community, ranking, lists, due };
  const finishing = { finishErasing: (guild: Snowflake) => privacy.finishErasing(guild) };
  const articles: Articles = openArticles({
    ...base,
    takeIn: (guild) => history.takeIn(guild),
    takeInSoon: (guild) => history.takeInSoon(guild),
    takenIn: (guild) => history.takenIn(guild),
    ...finishing,
  });
  const toVotes: VotesNeeds = {
    ...base,
    ...articles,
    takeInAnew: (guild, message) => history.takeInAnew(guild, message),
    searchAgainFrom: (guild, fromMs) => history.searchAgainFrom(guild, fromMs),
  };
  const votes = openVotes(toVotes);
  const recounting = { ...base, ...toVotes, ...votes };
  const history: History = openHistory(recounting);
  const nominations: Nominations = nominationsOf({ ...recounting, ...history, ...finishing });
  const names = openMemberNames(client, foundation.clock);
  const parts = { ...recounting, ...history, names, earlier: openEarlier(base) };
  const pages = {
    store,
    address: base.webAddress,
    community: (guild: Snowflake) => communityOf(client, guild),
  };
  const privacy: Privacy = openPrivacy({
    ...parts,
    setUpBy: (guild, member) => findSetUpBy(parts.store, guild, member),
  });
  return {
    ...parts,
    nominations,
    backup: openBackup({
      ...parts,
      lookAtRestored: (guild, articles) => lookAtRestored(recounting, guild, articles),
    }),
    board: openBoard(parts),
    digests: openDigests({
      ...parts,
      editionAddress: (edition) => editionAddress(pages, edition),
      recount: (guild, ids) => recountArticlesInVoting(recounting, guild, { articles: ids }),
    }),
    moderation: openModeration(parts),
    personal: openPersonal(parts),
    privacy,
  };
}

/** What is due cannot be planned while its own key is damaged. */
function setAside({ ranking, store }: { ranking: Ranking; store: Store }, guild: Snowflake): void {
  void setAsideWrongTypes(store, guild).then(
    () => ranking.onDamaged(guild),
    () => {},
  );
}

/** Other processes tell of the rows that they plan; null: of any guild. */
function followPlans(client: Client, lists: TopLists, due: Due): void {
  lists.onPlanned((guild, atMs) => {
    for (const one of guild === null ? client.guilds.cache.keys() : [guild]) due.wake(one, atMs);
  });
}

/** The votes of what was found in a message are read from Discord. */
function nominationsOf(needs: Omit<NominationsNeeds, 'recount'> & RecountNeeds): Nominations {
  return openNominations({
    ...needs,
    recount: (guild, id) => recountArticlesInVoting(needs, guild, { articles: [id], full: true }),
  });
}

/** The digests, and whether the board, that a member set up. */
export async function findSetUpBy(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<string[]> {
  const digests = await readDigests(store, guild);
  const own = digests.filter(({ digest }) => digest.savedBy === member);
  const names = own.map(({ name }) => `digest ${name}`);
  const board = await readBoard(store, guild);
  return board?.choice.savedBy === member ? [...names, 'board'] : names;
}

/** What was found damaged is checked this long after. */
const DAMAGED_MS = 1000;
/** An emptied Redis is filled again within a minute, and that takes most of it. */
const DATA_SET_EVERY_MS = 10_000;

/** What the bot does by itself, besides following events. */
export type Jobs = {
  recounts: Recounts;
  guilds: Guilds;
  /** Each is due once a minute. None waits for another. */
  minutely: readonly MinuteJob[];
};

/**
 * Begins what is done once at the start, and what follows events. `runJobs` does the rest. `recountPauseMs`: before a
 * recount.
 */
export function openJobs(bot: Bot, recountPauseMs?: number): Jobs {
  const { client, log, digests, ranking } = bot;
  const warn = openWarnings(log);
  for (const kind of [closingKind(bot), ...digests.kinds]) bot.due.handle(kind);
  const recounts = followRecounts({ ...bot, pauseMs: recountPauseMs });
  bot.onLoss((guild) => recounts.soon(guild));
  const guilds = openGuilds({
    ...bot,
    recount: (guild) => recounts.soon(guild),
    eraseLeft: (guild) => bot.privacy.eraseLeft(guild),
  });

  const updateBoards = () =>
    bot.board.tick().catch((error: unknown) => {
      warn(error, {}, 'The boards could not be looked at; the next minute tries again.');
    });

  // It may have lost rows, or all of them.
  ranking.redis.on('ready', () => {
    const reachable = client.guilds.cache.filter(({ available }) => available);
    void beginSpread([...reachable.keys()], bot.stopping, (guild) => bot.due.arrive(guild));
  });
  return {
    recounts,
    guilds,
    minutely: [
      { name: 'what is due', run: () => bot.due.begin().then(() => emitMetric('tick', {})) },
      { name: 'upkeep', run: async () => guilds.tick() },
      { name: 'boards', run: updateBoards },
    ],
  };
}

/** Runs the jobs at their times. Returns a function that stops them. */
export function runJobs(
  { guilds, minutely }: Jobs,
  { hold, log }: Pick<Foundation, 'hold' | 'log'>,
  clock: DiscordClock,
): () => void {
  const whenConfirmed = ({ name, run }: MinuteJob): MinuteJob => ({
    name,
    run: async () => {
      // A closing, a post or a deletion at a wrong time cannot be undone.
      if (!clock.isConfirmed()) return;
      const work = run();
      hold(work);
      await work;
    },
  });
  const tellLong = (job: string): void =>
    log.warn(
      { job },
      'Work of one minute has not ended in half an hour. It is not begun again before.',
    );
  hold(clock.compare());
  const compare = { name: 'clock', run: () => clock.compare() };
  // The unit's WatchdogSec counts these: a loop that hangs tells nothing.
  const watchdog = { name: 'watchdog', run: () => tellServiceManager('WATCHDOG=1') };
  const stops = [compare, watchdog, ...minutely.map(whenConfirmed)].map((job) =>
    everyMinute(clock, job, tellLong),
  );
  const check = setInterval(() => guilds.checkDataSet(), DATA_SET_EVERY_MS);
  return () => {
    clearInterval(check);
    for (const stop of stops) stop();
  };
}
