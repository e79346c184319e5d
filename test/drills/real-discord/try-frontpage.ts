import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type APIApplicationCommand,
  type APIChannel,
  type APIMessage,
  type Guild,
  GuildMember,
  REST,
  Routes,
} from 'discord.js';
import { postLink } from '../../../src/articles/posting/post-link.ts';
import { startClock } from '../../../src/runtime/clock.ts';
import { writeDraft } from '../../../src/digests/content/draft.ts';
import { openDigestContext } from '../../../src/digests/posting/posting-context.ts';
import { groupOf } from '../../../src/discord/access/visibility.ts';
import { isApiError } from '../../../src/discord/api-errors.ts';
import { UserError } from '../../../src/discord/user-error.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Article, readArticle } from '../../../src/ranking/articles/articles.ts';
import { readVoters } from '../../../src/ranking/ballots/voters.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { parseLink } from '../../../src/ranking/links/parse.ts';
import { type Snowflake, snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { recountGuild } from '../../../src/votes/recount/recount-guild.ts';
import { zDigest } from '../../../src/digests/digest-settings.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { type Bot, startBot } from '../../../src/bot.ts';

type Trial = {
  token: string;
  /** Discord's own API, or one that speaks like it; without the version. */
  apiBase: string;
  guild: Snowflake;
  /** Where to post; absent: in a channel that is made for it and deleted at the end. */
  channel?: Snowflake | undefined;
  /** An empty server: everything in it is lost afterwards. */
  redisUrl: string;
  /** How long to wait for a person who votes. */
  waitMs: number;
  say: (line: string) => void;
  /** Once aborted, nothing more is tried, and what was made is removed. */
  signal: AbortSignal;
};

/** Something that could not be tried, because nobody did what only a person can do. */
class NotTried extends Error {}

const soonMs = 15_000;
const TITLE = 'Frontpage is being tried';

/**
 * Posts, votes, recounts and posts a digest in a real guild, compares what Discord then shows with what
 * should be there, and removes what it made. Returns whether everything was as expected, and what was not tried.
 */
export async function tryFrontpage(trial: Trial): Promise<{ isWell: boolean; notTried: string[] }> {
  const { token, apiBase, guild: guildId, say, signal } = trial;
  const clock = startClock();
  const log = createLog('error');
  const rest = new REST({ api: apiBase }).setToken(token);
  const redis = connectRedis(trial.redisUrl, { log, name: 'try' });
  const made: (() => Promise<unknown>)[] = [];
  const notTried: string[] = [];
  let isWell = true;

  /** Returns null if it was not as expected; nothing later then makes sense. */
  async function step<T>(what: string, attempt: () => Promise<T>): Promise<T | null> {
    try {
      const result = await attempt();
      say(`✓ ${what}`);
      return result;
    } catch (error) {
      if (error instanceof NotTried) {
        notTried.push(what);
        say(`– ${what}: not tried. ${error.message}`);
        return null;
      }
      isWell = false;
      say(`✗ ${what}: ${reasonOf(error)}`);
      return null;
    }
  }

  /** As `step`, but does nothing after an interruption. */
  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    if (!signal.aborted) return step(what, work);
    isWell = false;
    return null;
  }

  async function run(): Promise<void> {
    const bot = await attempt('The bot starts and is on Discord', () =>
      startBot({ token, apiBase, redis, clock, log }),
    );
    if (bot === null) return;
    made.push(() => bot.stop());
    // Nothing is missing in the new Redis, so no rebuild need read the whole guild.
    await redis.set(storeKeys(bot.store, guildId).complete, clock.now());
    const guild = await attempt('It is in the server', () => findGuild(bot, guildId));
    if (guild === null) return;
    await attempt('Discord has all commands', () => compareCommands(bot, rest));
    const channel = await attempt('There is a channel to post in', async () => {
      if (trial.channel !== undefined) return trial.channel;
      const { id } = await makeChannel(rest, guildId);
      made.push(() => rest.delete(Routes.channel(id)));
      return id;
    });
    if (channel === null) return;
    const place: Place = { bot, rest, guild, channel };
    const id = await attempt('A link becomes an article with 👍 and 👎', () => post(place));
    if (id === null) return;
    made.push(() => removed(rest, channel, id));
    await attempt('What somebody votes counts', () => vote(place, id, trial));
    await attempt('A recount finds what was lost, and nothing else', () => recount(place, id));
    const digest = await attempt('A digest shows the article', () => postDigest(place, id));
    if (digest !== null) made.push(() => removed(rest, channel, digest));
    await attempt('An article goes with its message', () => deleteMessage(place, id));
  }

  try {
    await run();
  } finally {
    // The bot was started first, and is stopped last.
    for (const undo of made.toReversed()) await step('Cleaned up', undo);
    redis.disconnect();
    clock.stop();
  }
  return { isWell, notTried };
}

/** The last line for the person who tried it. */
export function verdictOf({ isWell, notTried }: { isWell: boolean; notTried: string[] }): string {
  if (!isWell) return 'Something was not as expected.';
  if (notTried.length === 0) return 'Everything was as expected.';
  return `What was tried was as expected. Not tried: ${notTried.join('; ')}.`;
}

function reasonOf(error: unknown): string {
  if (error instanceof UserError) return error.inLanguageOf('en-US');
  return error instanceof Error ? error.message : String(error);
}

type Place = { bot: Bot; rest: REST; guild: Guild; channel: Snowflake };

async function findGuild({ client }: Bot, id: Snowflake): Promise<Guild> {
  return until(
    () => client.guilds.cache.get(id),
    `a server ${id} with this bot in it: invite the bot, and look at the id`,
  );
}

async function compareCommands(bot: Bot, rest: REST): Promise<void> {
  const route = Routes.applicationCommands(bot.store.applicationId);
  const found = (await rest.get(route)) as APIApplicationCommand[];
  for (const name of ['post', 'top', 'digest', 'frontpage', 'me', 'help']) {
    if (!found.some((command) => command.name === name)) throw new Error(`/${name} is missing.`);
  }
}

async function makeChannel(rest: REST, guild: Snowflake): Promise<APIChannel> {
  try {
    const body = { name: 'frontpage-try' };
    return (await rest.post(Routes.guildChannels(guild), { body })) as APIChannel;
  } catch (error) {
    if (!isApiError(error, 'MissingPermissions')) throw error;
    throw new Error('Give the bot Manage Channels, or name a channel as the second word.', {
      cause: error,
    });
  }
}

/** Posts as the bot itself, so that everybody else may vote. */
async function post({ bot, rest, guild, channel }: Place): Promise<Snowflake> {
  const home = await until(() => {
    const found = guild.channels.cache.get(channel);
    return found && groupOf(found) === found ? found : undefined;
  }, 'the channel in which to post');
  const link = parseLink(`https://example.com/frontpage-try/${bot.clock.now()}`);
  if (link.status !== 'accepted' || home.isThread()) throw new Error('The link was refused.');
  const { me } = guild.members;
  if (!(me instanceof GuildMember)) throw new Error('The bot does not know its own member.');
  let id = '';
  const by = snowflakeAt(bot.clock.now());
  const outcome = await postLink(bot, {
    by,
    poster: me,
    home,
    channel,
    link,
    title: TITLE,
    sendArticleMessage: async (content) => {
      const body = { content, allowed_mentions: { parse: [] } };
      ({ id } = (await rest.post(Routes.channelMessages(channel), { body })) as APIMessage);
      return id;
    },
  });
  if (outcome.status !== 'posted') throw new Error(`The posting is ${outcome.status}.`);
  const message = await messageOf(rest, channel, id);
  if (!message.content.includes(TITLE)) throw new Error(`It says: ${message.content}`);
  const shown = (message.reactions ?? []).filter(({ me: own }) => own);
  const emoji = shown.map(({ emoji: { name } }) => name).join(' ');
  // A member's first article has no 👎 of the bot.
  if (emoji !== '👍 👎' && emoji !== '👍') throw new Error(`Its reactions are: ${emoji || 'none'}`);
  await articleWith(bot, guild.id, id, 1);
  return id;
}

/** A bot's reactions do not count, so a person must click. */
async function vote(place: Place, id: Snowflake, { waitMs, say, signal }: Trial): Promise<void> {
  const { bot, guild, channel } = place;
  const where = `https://discord.com/channels/${guild.id}/${channel}/${id}`;
  say(`  Click 👍 there within ${Math.round(waitMs / 1000)} seconds: ${where}`);
  try {
    await Promise.race([articleWith(bot, guild.id, id, 2, waitMs), interruption(signal)]);
  } catch {
    if (signal.aborted) throw new NotTried('It was interrupted.');
    const { reactions = [] } = await messageOf(place.rest, channel, id);
    const clicked = reactions.some(({ emoji, count }) => emoji.name === '👍' && count > 1);
    throw clicked
      ? new Error('👍 was clicked, and did not count.')
      : new NotTried('Nobody clicked.');
  }
}

async function interruption(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new Error('Interrupted.');
}

/** Takes the vote out of Redis, as if the bot had been away when it was given. */
async function recount({ bot, guild }: Place, id: Snowflake): Promise<void> {
  const voters = [...(await readVoters(bot.ranking, guild.id, id)).keys()];
  for (const member of voters) {
    const ballot = { guild: guild.id, article: id, member, vote: 'none' as const };
    await setVote(bot.ranking, ballot, bot.clock.now());
  }
  const {
    added,
    removed: taken,
    switched,
    gone,
    unread,
    hidden,
  } = await recountGuild(bot, guild.id, { full: true });
  const found = JSON.stringify({ added, taken, switched, gone, unread, hidden });
  const wanted = { added: voters.length, taken: 0, switched: 0, gone: 0, unread: [], hidden: [] };
  if (found !== JSON.stringify(wanted)) throw new Error(`It found ${found}`);
  await articleWith(bot, guild.id, id, 1 + voters.length);
}

async function postDigest(
  { bot, rest, guild, channel }: Place,
  article: Snowflake,
): Promise<Snowflake> {
  const context = openDigestContext(bot);
  const schedule = { every: 'day', time: '12:00', zone: 'UTC' };
  const now = bot.clock.now();
  const { body } = await writeDraft(context, {
    guild: guild.id,
    name: 'try',
    digest: zDigest.parse({ channel, schedule, groups: [channel] }),
    locale: guild.preferredLocale,
    period: { fromMs: now - 86_400_000, untilMs: now },
    date: new Date(now).toISOString().slice(0, 10),
  });
  if (body === null) {
    // What nobody but its poster voted for is not among the best.
    const found = await readArticle(bot.ranking, guild.id, article);
    if (found !== null && found.up < 2) throw new NotTried('Nobody but its poster voted.');
    throw new Error('It is empty.');
  }
  const place = { guild: guild.id, channel };
  const sent = await context.channels.sendMessage(place, body, `try-${now}`);
  if (sent.status === 'refused') throw new Error('It is refused.');
  const id = sent.message;
  const message = await messageOf(rest, channel, id);
  if (!JSON.stringify(message).includes(TITLE)) throw new Error('The article is not in it.');
  return id;
}

async function deleteMessage({ bot, rest, guild, channel }: Place, id: Snowflake): Promise<void> {
  await removed(rest, channel, id);
  const isGone = async () => ((await readArticle(bot.ranking, guild.id, id)) ? undefined : true);
  await until(isGone, 'the end of the article');
}

/** Deletes a message, if it is still there. */
async function removed(rest: REST, channel: Snowflake, id: Snowflake): Promise<void> {
  try {
    await rest.delete(Routes.channelMessage(channel, id));
  } catch (error) {
    if (!isApiError(error, 'UnknownMessage', 'UnknownChannel')) throw error;
  }
}

async function messageOf(rest: REST, channel: Snowflake, id: Snowflake): Promise<APIMessage> {
  return (await rest.get(Routes.channelMessage(channel, id))) as APIMessage;
}

function articleWith(
  { ranking }: Bot,
  guild: Snowflake,
  id: Snowflake,
  up: number,
  deadlineMs = soonMs,
): Promise<Article> {
  const read = async () => {
    const article = await readArticle(ranking, guild, id);
    return article?.up === up ? article : undefined;
  };
  return until(read, `the article with ${up} up votes`, deadlineMs);
}

async function until<T>(
  read: () => T | undefined | Promise<T | undefined>,
  what: string,
  deadlineMs = soonMs,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`There is not ${what}.`);
    await pause(100);
  }
}
