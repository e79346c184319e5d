import { setTimeout as pause } from 'node:timers/promises';
import {
  type APIMessage,
  ChannelType,
  type Client,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  type Guild,
  type GuildBasedChannel,
  type RESTGetAPIChannelMessagesResult,
  type RESTPostAPICurrentUserCreateDMChannelResult,
  Routes,
} from 'discord.js';
import { isApiError } from '../../discord/api-errors.ts';
import { missing, type Permission } from '../../discord/permissions.ts';
import { snowflakeAt } from '../../ranking/snowflake.ts';
import type { Body } from '../content/message.ts';
import { nonceOf, readFooterTag } from '../content/footer-tag.ts';

export type ChannelState =
  /** Another process's guild, or one that Discord does not show for now. */
  | { is: 'elsewhere' }
  | { is: 'open'; locale: string; mayReadBack: boolean }
  | { is: 'broken'; locale: string; reason: 'gone' | 'missing'; detail: string };

/** Discord refuses something, and will again until somebody changes something. */
export type Refused = { status: 'refused'; reason: 'gone' | 'refused'; detail: string };

export type Delivery = { status: 'sent'; message: string } | Refused;

/** What our own messages are known by, the end of a footer or else a link, with the messages' ids. */
export type ReadBack =
  | { status: 'read'; tags: Map<string, string> }
  | { status: 'stopped' }
  | Refused;

/** What the digest asks of Discord. Faults are thrown: whether a message was made is then unknown. */
export type DigestChannels = {
  /** Whether it is this process that posts in the guild. */
  serves(guild: string): boolean;
  look(guild: string, channel: string): Promise<ChannelState>;
  /** Our own messages since an instant. Between pages it asks whether to go on. */
  readBack(channel: string, fromMs: number, goesOn: () => Promise<boolean>): Promise<ReadBack>;
  send(channel: string, body: Body, nonce: string): Promise<Delivery>;
  /** Does nothing where the message has a thread. */
  startThread(channel: string, message: string, name: string): Promise<void>;
  /** Tells those who run the server, in the most private place that there is. */
  tell(guild: string, savedBy: string | null, text: string): Promise<boolean>;
};

/** Where a digest can be posted. */
export const digestChannelTypes = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

const required = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const;
/**
 * Digests take so many of the requests that this process may send, evenly; what can wait takes the
 * rest at the most (`background-requests.ts`). Answers to interactions are not counted by Discord.
 */
const partOfRequests = 0.4;
/** A send that waits longer for a rate limit is given up, since its read-back would be stale. */
const sendTimeoutMs = 20_000;

export function digestPermissions(thread: boolean): Permission[] {
  return [...required, 'ReadMessageHistory', ...(thread ? (['CreatePublicThreads'] as const) : [])];
}

export function openDigestChannels(
  client: Client,
  /** The language that a guild chose for what all of its members read. */
  languageOf: (guild: string) => Promise<string | null>,
): DigestChannels {
  const { rest } = client;
  const perSecond = rest.options.globalRequestsPerSecond * partOfRequests;
  let nextMs = 0;

  async function turn(): Promise<void> {
    const startMs = Math.max(performance.now(), nextMs);
    nextMs = startMs + 1000 / perSecond;
    await pause(startMs - performance.now());
  }

  return {
    serves: (guild) => client.guilds.cache.get(guild)?.available === true,

    async look(guildId, channelId) {
      const guild = client.guilds.cache.get(guildId);
      if (!guild?.available || !guild.members.me) return { is: 'elsewhere' };
      const locale = (await languageOf(guildId)) ?? guild.preferredLocale;
      const channel = await findChannel(guild, channelId);
      if (channel === null) return { is: 'broken', locale, reason: 'gone', detail: '' };
      const lack = missing(channel, required);
      if (lack.length > 0) return { is: 'broken', locale, reason: 'missing', detail: lack.join() };
      return {
        is: 'open',
        locale,
        mayReadBack: missing(channel, ['ReadMessageHistory']).length === 0,
      };
    },

    async readBack(channel, fromMs, goesOn) {
      const tags = new Map<string, string>();
      let after = snowflakeAt(fromMs);
      try {
        for (;;) {
          const query = new URLSearchParams({ after, limit: '100' });
          const route = Routes.channelMessages(channel);
          await turn();
          const page = (await rest.get(route, { query })) as RESTGetAPIChannelMessagesResult;
          for (const message of page) collectTag(tags, message, client.user?.id);
          if (page.length < 100) return { status: 'read', tags };
          after = page.reduce((last, { id }) => (BigInt(id) > BigInt(last) ? id : last), after);
          if (!(await goesOn())) return { status: 'stopped' };
        }
      } catch (error) {
        return refusalOf(error);
      }
    },

    async send(channel, body, nonce) {
      try {
        await turn();
        const sent = (await rest.post(Routes.channelMessages(channel), {
          body: { ...body, nonce, enforce_nonce: true },
          signal: AbortSignal.timeout(sendTimeoutMs),
        })) as APIMessage;
        return { status: 'sent', message: sent.id };
      } catch (error) {
        return refusalOf(error);
      }
    },

    async startThread(channel, message, name) {
      try {
        await rest.post(Routes.threads(channel, message), { body: { name } });
      } catch (error) {
        const startedBefore = 160_004;
        if (!(error instanceof DiscordAPIError && Number(error.code) === startedBefore))
          throw error;
      }
    },

    async tell(guildId, savedBy, text) {
      const guild = client.guilds.cache.get(guildId);
      if (!guild) return false;
      const body = { content: text, allowed_mentions: { parse: [] }, enforce_nonce: true };
      const nonce = nonceOf(guildId, text);
      for (const place of await placesToTell(client, guild, savedBy)) {
        try {
          await rest.post(Routes.channelMessages(place), { body: { ...body, nonce } });
          return true;
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
      }
      return false;
    },
  };
}

async function findChannel(guild: Guild, id: string): Promise<GuildBasedChannel | null> {
  try {
    return guild.channels.cache.get(id) ?? (await guild.channels.fetch(id));
  } catch (error) {
    if (isRefusal(error)) return null;
    // It is in another guild.
    if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.GuildChannelUnowned) {
      return null;
    }
    throw error;
  }
}

function collectTag(
  found: Map<string, string>,
  message: APIMessage,
  self: string | undefined,
): void {
  if (message.author.id !== self) return;
  const footer = message.embeds.at(-1)?.footer?.text;
  const tag = footer === undefined ? firstMessageLink(message.content) : readFooterTag(footer);
  if (tag !== undefined) found.set(tag, message.id);
}

/** An announcement leads to its first article's message. */
export function firstMessageLink(content: string): string | undefined {
  return /https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+/.exec(content)?.[0];
}

/** The moderators' own channel, then who set the digest up, then where Discord greets members. */
async function placesToTell(
  client: Client,
  guild: Guild,
  savedBy: string | null,
): Promise<string[]> {
  const { publicUpdatesChannelId, systemChannelId } = guild;
  const direct = savedBy === null ? null : await directChannel(client, savedBy);
  return [publicUpdatesChannelId, direct, systemChannelId].filter((place) => place !== null);
}

async function directChannel(client: Client, member: string): Promise<string | null> {
  try {
    const body = { recipient_id: member };
    const opened = await client.rest.post(Routes.userChannels(), { body });
    return (opened as RESTPostAPICurrentUserCreateDMChannelResult).id;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Throws what is no refusal. */
function refusalOf(error: unknown): Refused {
  if (!isRefusal(error)) throw error;
  const reason = isApiError(error, 'UnknownChannel') ? 'gone' : 'refused';
  return { status: 'refused', reason, detail: String(error.code) };
}

/** Discord understood the request and says no. A 401 is ours to mend, and a 5xx passes. */
function isRefusal(error: unknown): error is DiscordAPIError {
  return (
    error instanceof DiscordAPIError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 401 &&
    error.status !== 429
  );
}
