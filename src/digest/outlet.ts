import {
  type APIMessage,
  ChannelType,
  type Client,
  DiscordAPIError,
  type Guild,
  type GuildBasedChannel,
  type RESTGetAPIChannelMessagesResult,
  type RESTPostAPICurrentUserCreateDMChannelResult,
  Routes,
} from 'discord.js';
import { missing, type Permission } from '../discord/permissions.ts';
import { snowflakeAt } from '../voting/snowflake.ts';
import type { Body } from './edition-message.ts';
import { nonceOf } from './mark.ts';

export type Sight =
  /** Another process's guild, or one that Discord does not show for now. */
  | { is: 'elsewhere' }
  | { is: 'open'; locale: string; mayReadBack: boolean }
  | { is: 'broken'; locale: string; reason: 'gone' | 'missing'; detail: string };

export type Delivery =
  | { status: 'sent'; message: string }
  /** Discord refuses it, and will again until somebody changes something. */
  | { status: 'refused'; reason: 'gone' | 'refused'; detail: string };

/** What the digest asks of Discord. Faults are thrown: whether a message was made is then unknown. */
export type Outlet = {
  look(guild: string, channel: string): Promise<Sight>;
  /**
   * Footers of our own messages since an instant, with their ids. Between pages it asks whether to
   * go on; null: it was told not to.
   */
  readBack(
    channel: string,
    fromMs: number,
    goesOn: () => Promise<boolean>,
  ): Promise<Map<string, string> | null>;
  send(channel: string, body: Body, nonce: string): Promise<Delivery>;
  /** Does nothing where the message has a thread. */
  startThread(channel: string, message: string, name: string): Promise<void>;
  /** Tells those who run the server, in the most private place that there is. */
  tell(guild: string, savedBy: string | null, text: string): Promise<boolean>;
};

/** Where a digest can be posted. */
export const editionChannelTypes = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

const required = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const;
/** A send that waits longer for a rate limit is given up, since its read-back would be stale. */
const sendTimeoutMs = 20_000;

export function editionPermissions(thread: boolean): Permission[] {
  return [...required, 'ReadMessageHistory', ...(thread ? (['CreatePublicThreads'] as const) : [])];
}

export function discordOutlet(client: Client): Outlet {
  const { rest } = client;
  return {
    async look(guildId, channelId) {
      const guild = client.guilds.cache.get(guildId);
      if (!guild?.available || !guild.members.me) return { is: 'elsewhere' };
      const locale = guild.preferredLocale;
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
      const found = new Map<string, string>();
      let after = snowflakeAt(fromMs);
      for (;;) {
        const query = new URLSearchParams({ after, limit: '100' });
        const route = Routes.channelMessages(channel);
        const page = (await rest.get(route, { query })) as RESTGetAPIChannelMessagesResult;
        for (const message of page) collectMark(found, message, client.user?.id);
        if (page.length < 100) return found;
        after = page.reduce((last, { id }) => (BigInt(id) > BigInt(last) ? id : last), after);
        if (!(await goesOn())) return null;
      }
    },

    async send(channel, body, nonce) {
      try {
        const sent = (await rest.post(Routes.channelMessages(channel), {
          body: { ...body, nonce, enforce_nonce: true },
          signal: AbortSignal.timeout(sendTimeoutMs),
        })) as APIMessage;
        return { status: 'sent', message: sent.id };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const gone = Number(error.code) === 10_003;
        return { status: 'refused', reason: gone ? 'gone' : 'refused', detail: String(error.code) };
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
    throw error;
  }
}

function collectMark(
  found: Map<string, string>,
  message: APIMessage,
  self: string | undefined,
): void {
  const mark = message.embeds[0]?.footer?.text;
  if (message.author.id === self && mark !== undefined) found.set(mark, message.id);
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
