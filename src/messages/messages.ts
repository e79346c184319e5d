import {
  type APIMessage,
  type Client,
  RateLimitError,
  type RESTPostAPIChannelMessageJSONBody,
  Routes,
} from 'discord.js';
import { isApiError, isLastingRefusal } from '../discord/api-errors.ts';
import { limits } from '../discord/limits.ts';
import { readOne, readPage } from '../discord/requests/read-messages.ts';
import { areLinksRefused, ChannelRefused, type Target } from '../discord/requests/refusals.ts';
import { NotOurs, type Requests } from '../discord/requests/requests.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Snowflake, snowflakeAt } from '../runtime/snowflake.ts';

/** What a message says. */
export type Body = Pick<
  RESTPostAPIChannelMessageJSONBody,
  'content' | 'embeds' | 'components' | 'allowed_mentions' | 'flags'
>;

/** Why nothing can be sent until somebody changes something; `text`: because of what stands in it. */
export const REASONS = ['gone', 'missing', 'refused', 'text'] as const;
export type Refusal = {
  reason: (typeof REASONS)[number];
  /** Permissions separated by commas, or Discord's own code. */
  detail: string;
};

/** Discord refuses a request, and will refuse it again. */
export type Refused = { status: 'refused' } & Refusal;

/** What a message says in its channel. */
export type Found = Pick<APIMessage, 'content' | 'embeds'>;

/** `lost`: who looks no longer has the claim. */
export type ReadBack =
  | { status: 'found'; message: Snowflake; found: Found }
  | { status: 'none' | 'lost' }
  | Refused;

/** A send that waits longer for a rate limit is cancelled, because its read-back would be stale. */
const SEND_TIMEOUT_MS = 20_000;

/** Requests for the bot's own messages in channels. They throw on faults; then it is unknown whether a message was made. */
export interface Messages {
  /** Looks for a message of ours since a time. Between pages it calls `isHeld` and stops on false. */
  readBack(
    target: Target,
    fromMs: number,
    matches: (content: string) => boolean,
    isHeld: () => Promise<boolean>,
  ): Promise<ReadBack>;
  /**
   * Sends a message. Repeated with its nonce within some minutes, it is sent once: `found` is then the first.
   */
  sendMessage(
    target: Target,
    body: Body,
    nonce: string,
  ): Promise<{ status: 'sent'; message: Snowflake; found: Found } | Refused>;
  /**
   * Changes what a message says. Its notification and who was pinged stay as they were. It calls `isHeld` just
   * before, and sends nothing on false. A message that somebody deleted is refused.
   */
  editMessage(
    target: Target,
    message: Snowflake,
    body: Body,
    isHeld: () => Promise<boolean>,
  ): Promise<{ status: 'edited' | 'lost' } | Refused>;
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

/** What the requests need. */
export interface MessagesNeeds {
  /** Sends them; its cache tells which roles are there. */
  client: Client;
  /** Their turn among all requests. */
  requests: Requests;
  /** Discord's time. */
  clock: Clock;
}

export function openMessages({ client, requests, clock }: MessagesNeeds): Messages {
  const { rest } = client;

  /** It can wait until refusals end, and a restored file may name the channel. */
  async function pass(target: Target): Promise<void> {
    await requests.requireAllowed(target);
    await requests.requireOwn(target);
  }

  return {
    async readBack(target, fromMs, matches, isHeld) {
      let after = snowflakeAt(fromMs);
      try {
        await pass(target);
        for (;;) {
          const query = new URLSearchParams({ after, limit: String(limits.pageSize) });
          const route = Routes.channelMessages(target.channel);
          await requests.digestTurn();
          const page = readPage(await rest.get(route, { query }));
          const found = page.messages.find(
            ({ author, content }) => author.id === client.user?.id && matches(content),
          );
          if (found !== undefined) {
            return { status: 'found', message: found.id, found };
          }
          if (page.length < limits.pageSize) return { status: 'none' };
          const ids = [...page.messages.map(({ id }) => id), ...page.broken];
          after = ids.reduce((last, id) => (BigInt(id) > BigInt(last) ? id : last), after);
          if (!(await isHeld())) return { status: 'lost' };
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
        return { status: 'sent', message: sent.id, found: sent };
      } catch (error) {
        return refusalOf(error);
      }
    },

    async editMessage(target, message, sent, isHeld) {
      const { flags: _, ...body } = sent;
      try {
        await pass(target);
        await requests.digestTurn();
        const askedMs = clock.now();
        if (!(await isHeld())) return { status: 'lost' };
        // This process stood still, and another may go on by now.
        if (clock.now() - askedMs > SEND_TIMEOUT_MS) return { status: 'lost' };
        await rest.patch(Routes.channelMessage(target.channel, message), {
          body: withoutDeadRole(client, target.guild, body),
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        });
        return { status: 'edited' };
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

/** Converts an error into a refusal; rethrows any other error. */
function refusalOf(error: unknown): Refused {
  if (error instanceof NotOurs) return { status: 'refused', reason: 'gone', detail: '' };
  if (error instanceof ChannelRefused) return { status: 'refused', reason: 'refused', detail: '' };
  if (!isLastingRefusal(error)) throw error;
  const detail = String(error.code);
  if (areLinksRefused(error)) return { status: 'refused', reason: 'text', detail };
  const reason = isApiError(error, 'UnknownChannel') ? 'gone' : 'refused';
  return { status: 'refused', reason, detail };
}
