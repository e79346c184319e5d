import {
  type APIMessage,
  ChannelType,
  DiscordjsError,
  DiscordjsErrorCodes,
  type Guild,
  type GuildBasedChannel,
  RateLimitError,
  Routes,
  type Client,
} from 'discord.js';
import { isApiError, isLastingRefusal } from '../../discord/api-errors.ts';
import { readOne, readPage } from '../../discord/requests/read-messages.ts';
import { NotOurs, type Requests } from '../../discord/requests/requests.ts';
import {
  ChannelRefused,
  isContentRefused,
  isTextRefused,
  type Target,
} from '../../discord/requests/refusals.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  type Permission,
  permissionNames,
} from '../../discord/access/permissions.ts';
import type { Broken } from '../digest-settings.ts';
import { readSettings } from '../../community/settings.ts';
import { openWarnings, type Warn } from '../../redis/errors.ts';
import { translate } from '../../text/catalogue.ts';
import { type Snowflake, snowflakeAt } from '../../runtime/snowflake.ts';
import type { DraftContext } from '../content/draft.ts';
import type { Body } from '../content/edition-message.ts';
import { limits } from '../../discord/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Store } from '../../redis/store.ts';

/** Why nothing can be posted until somebody changes something. */
export type Trouble = Pick<Broken, 'reason' | 'detail'>;

export type ChannelState =
  /** The guild belongs to another process, or Discord does not show it now. */
  | { status: 'elsewhere' }
  | { status: 'open'; locale: string; mayReadBack: boolean }
  | ({ status: 'broken'; locale: string } & Trouble);

/** Discord refuses a request, and will refuse it again. `isText`: because of what stands in it. */
export type Refused = { status: 'refused'; isText?: boolean } & Trouble;

/** `lost`: the reader no longer holds the lease. */
export type ReadBack =
  | { status: 'found'; message: Snowflake; content: string }
  | { status: 'none' | 'lost' }
  | Refused;

export const DIGEST_CHANNEL_TYPES = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

/** A send that waits longer for a rate limit is cancelled, because its read-back would be stale. */
const SEND_TIMEOUT_MS = 20_000;

export const DIGEST_PERMISSIONS: Permission[] = [...MESSAGE_PERMISSIONS, 'ReadMessageHistory'];

/** What the posting of editions and announcements uses. */
export interface DigestContext extends DraftContext {
  /** Sends editions; its cache tells which channels and roles are there. */
  client: Client;
  /** Where the schedules, their history and the leases are, and the members who opted out. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Digests have their own turn in it, before what can wait. */
  requests: Requests;
  /** Sends and finds messages in the channels of digests. */
  channels: DigestChannels;
  /** Logs the same fault once, until it was gone for a while. */
  warn: Warn;
  /** The guilds whose announcements cannot be posted, and why: it is logged once. */
  hindered: Map<Snowflake, string>;
}

/** Without `recount`, editions show the tallies as they are. */
export function openDigestContext(
  needs: Omit<DigestContext, 'recount' | 'channels' | 'warn' | 'hindered'>,
  recount?: DraftContext['recount'],
): DigestContext {
  const channels = openDigestChannels(needs);
  return { ...needs, channels, warn: openWarnings(needs.log), hindered: new Map(), recount };
}

/** The digest's requests to Discord. They throw on faults; then it is unknown whether a message was made. */
interface DigestChannels {
  /** Looks for a message of ours since a time. Between pages it calls `holds` and stops on false. */
  readBack(
    target: Target,
    fromMs: number,
    isIt: (content: string) => boolean,
    holds: () => Promise<boolean>,
  ): Promise<ReadBack>;
  /**
   * Sends a message. Repeated with its nonce within some minutes, it is sent once: `content` is then that of
   * the first.
   */
  sendMessage(
    target: Target,
    body: Body,
    nonce: string,
  ): Promise<{ status: 'sent'; message: string; content: string } | Refused>;
  /**
   * Changes what a message says. Its notification and who was pinged stay as they were. It calls `holds` just
   * before, and sends nothing on false.
   */
  editMessage(
    target: Target,
    message: Snowflake,
    body: Body,
    holds: () => Promise<boolean>,
  ): Promise<{ status: 'sent' | 'lost' } | Refused>;
  /**
   * Publishes a message of an announcement channel to its followers. `limited`: ten were published in
   * the last hour, and Discord takes no more.
   */
  publish(
    target: Target,
    message: Snowflake,
  ): Promise<{ status: 'published' | 'limited' } | Refused>;
}

/** A role that was deleted since it was chosen would be shown as `@deleted-role`. */
function withoutDeadRole(client: Client, guild: Snowflake, body: Body): Body {
  const roles = client.guilds.cache.get(guild)?.roles.cache;
  const dead = body.allowed_mentions?.roles?.find((role) => roles && !roles.has(role));
  if (dead === undefined) return body;
  return {
    ...body,
    content: body.content?.replace(`\n<@&${dead}> `, '\n'),
    allowed_mentions: { parse: [] },
  };
}

type DigestChannelsNeeds = { client: Client; requests: Requests; clock: Clock };

function openDigestChannels({ client, requests, clock }: DigestChannelsNeeds): DigestChannels {
  const { rest } = client;

  /** Digests can wait until refusals end, and a restored file may name their channel. */
  async function pass(target: Target): Promise<void> {
    await requests.requireAllowed(target);
    await requests.requireOwn(target);
  }

  return {
    async readBack(target, fromMs, isIt, holds) {
      let after = snowflakeAt(fromMs);
      try {
        await pass(target);
        for (;;) {
          const query = new URLSearchParams({ after, limit: String(limits.pageSize) });
          const route = Routes.channelMessages(target.channel);
          await requests.digestTurn();
          const page = readPage(await rest.get(route, { query }));
          const isOurs = ({ author }: APIMessage) => author.id === client.user?.id;
          const found = page.messages.find((one) => isOurs(one) && isIt(one.content));
          if (found !== undefined) {
            return { status: 'found', message: found.id, content: found.content };
          }
          if (page.length < limits.pageSize) return { status: 'none' };
          const ids = [...page.messages.map(({ id }) => id), ...page.broken];
          after = ids.reduce((last, id) => (BigInt(id) > BigInt(last) ? id : last), after);
          if (!(await holds())) return { status: 'lost' };
        }
      } catch (error) {
        return refusalOf(error);
      }
    },

    async sendMessage(target, body, nonce) {
      try {
        await pass(target);
        await requests.digestTurn();
        const answer = await rest.post(Routes.channelMessages(target.channel), {
          body: { ...withoutDeadRole(client, target.guild, body), nonce, enforce_nonce: true },
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        });
        const sent = readOne(answer);
        return { status: 'sent', message: sent.id, content: sent.content };
      } catch (error) {
        return refusalOf(error);
      }
    },

    async editMessage(target, message, sent, holds) {
      const { flags: _, ...body } = sent;
      try {
        await pass(target);
        await requests.digestTurn();
        const askedMs = clock.now();
        if (!(await holds())) return { status: 'lost' };
        // This process stood still, and another may go on by now.
        if (clock.now() - askedMs > SEND_TIMEOUT_MS) return { status: 'lost' };
        await rest.patch(Routes.channelMessage(target.channel, message), {
          body: withoutDeadRole(client, target.guild, body),
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        });
        return { status: 'sent' };
      } catch (error) {
        return refusalOf(error);
      }
    },

    async publish(target, message) {
      try {
        await pass(target);
        await requests.digestTurn();
        await rest.post(Routes.channelMessageCrosspost(target.channel, message));
        return { status: 'published' };
      } catch (error) {
        // Another process published it and died.
        if (isApiError(error, 'ThisMessageWasAlreadyCrossposted')) return { status: 'published' };
        if (error instanceof RateLimitError) return { status: 'limited' };
        return refusalOf(error);
      }
    },
  };
}

/** Whether something can be posted in the channel, and in which language. */
export async function readState(
  { client, store }: { client: Client; store: Store },
  guildId: Snowflake,
  channelId: Snowflake,
): Promise<ChannelState> {
  const guild = client.guilds.cache.get(guildId);
  if (!guild?.available || !guild.members.me) return { status: 'elsewhere' };
  const locale = (await readSettings(store, guildId)).language ?? guild.preferredLocale;
  const channel = await findChannel(guild, channelId);
  if (channel === null) return { status: 'broken', locale, reason: 'gone', detail: '' };
  const lack = missingPermissions(channel, MESSAGE_PERMISSIONS);
  if (lack.length > 0) return { status: 'broken', locale, reason: 'missing', detail: lack.join() };
  const mayReadBack = missingPermissions(channel, ['ReadMessageHistory']).length === 0;
  return { status: 'open', locale, mayReadBack };
}

async function findChannel(guild: Guild, id: string): Promise<GuildBasedChannel | null> {
  try {
    return guild.channels.cache.get(id) ?? (await guild.channels.fetch(id));
  } catch (error) {
    const isElsewhere =
      error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.GuildChannelUnowned;
    if (isElsewhere || isLastingRefusal(error)) return null;
    throw error;
  }
}

/** Converts an error into a refusal; rethrows any other error. */
function refusalOf(error: unknown): Refused {
  if (error instanceof NotOurs) return { status: 'refused', reason: 'gone', detail: '' };
  if (error instanceof ChannelRefused) return { status: 'refused', reason: 'refused', detail: '' };
  if (!isLastingRefusal(error)) throw error;
  if (isTextRefused(error)) {
    return { status: 'refused', reason: 'text', detail: String(error.code), isText: true };
  }
  const reason = isApiError(error, 'UnknownChannel') ? 'gone' : 'refused';
  const isText = isContentRefused(error);
  return { status: 'refused', reason, detail: String(error.code), ...(isText ? { isText } : {}) };
}

/** Explains why nothing can be posted in a channel, and how to repair it. */
export function brokenText(
  locale: string,
  channel: Snowflake,
  { reason, detail }: Trouble,
): string {
  const permissions = reason === 'missing' ? detail.split(',') : [];
  return translate(locale, `digest.broken.${reason}`, {
    channel: `<#${channel}>`,
    // Nothing was asked where Discord refused before.
    code: detail || 'none',
    permissions: permissionNames(permissions as Permission[]),
  });
}
