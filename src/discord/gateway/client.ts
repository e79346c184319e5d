import { pauseAfter } from '../../runtime/retry.ts';
import type { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Client,
  Events,
  GatewayCloseCodes,
  GatewayIntentBits,
  Options,
  type RateLimitData,
  SimpleShardingStrategy,
  type Snowflake,
  Status,
  type WebSocketOptions,
} from 'discord.js';
import { fault, faultLine, type Log } from '../../runtime/log.ts';
import { emitMetric } from '../../runtime/metrics.ts';
import { limits } from '../limits.ts';

export type Shards = { ids: number[]; count: number } | 'auto';

export type ClientSettings = {
  /** Without `/v10`, which discord.js adds. */
  apiBase: string;
  log: Log;
  /** The bot's own user, which the caches keep. */
  self?: Snowflake;
  /** Whether to use the privileged intent to read messages. */
  messageContent?: boolean;
  /** The shards of this process. `auto`: all shards, as many as Discord advises. */
  shards?: Shards;
  /** The limit of the bot over all its processes. */
  requestsPerSecond?: number;
  /** Resolves when a shard of a bucket may begin a session. Without it, only this process is limited. */
  waitToIdentify?: (bucket: number, signal: AbortSignal) => Promise<void>;
};

/** How long the publishing of a message may wait for Discord's limit. */
const LONGEST_PUBLISHING_MS = 10_000;

/**
 * Whether a request is given up instead of waiting for a limit; no signal ends a wait that has begun.
 * Edits of old messages have a limit that no header shows (30046). Their callers try again later; in the
 * route's queue, members' requests would wait behind them. The creation of commands has such a limit too
 * (30034), which can last a day and would delay the start. A channel publishes ten messages an hour, and all
 * digests would wait behind the next one.
 */
function isTooLong({ method, route, retryAfter, sublimitTimeout }: RateLimitData): boolean {
  if (route.endsWith('/crosspost')) return retryAfter > LONGEST_PUBLISHING_MS;
  if (route.endsWith('/commands')) return sublimitTimeout > 0 || retryAfter === 0;
  return method === 'PATCH' && sublimitTimeout > 0;
}

/**
 * A client that caches guilds, channels, roles and itself, and nothing that grows with members or
 * messages. Reactions and deletions are read from raw packets (`votes/events/gateway-events.ts`) and need no cache.
 */
export function createClient({
  apiBase,
  log,
  messageContent = false,
  shards = 'auto',
  requestsPerSecond = limits.requestsPerSecond,
  waitToIdentify,
  self,
}: ClientSettings): Client {
  const ws: WebSocketOptions = {
    buildStrategy: (manager) => {
      pauseBetween(manager, client, log);
      logClosings(manager, log);
      return new PatientStrategy(manager);
    },
  };
  if (waitToIdentify) {
    ws.buildIdentifyThrottler = async (manager) => {
      const { session_start_limit: limit } = await manager.fetchGatewayInformation();
      return {
        waitForIdentify: (shard, signal) => waitToIdentify(shard % limit.max_concurrency, signal),
      };
    };
  }
  // Discord counts the requests of all processes together.
  const part = shards === 'auto' ? 1 : shards.ids.length / shards.count;
  const client: Client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages, // For deletions.
      GatewayIntentBits.GuildMessageReactions,
      ...(messageContent ? [GatewayIntentBits.MessageContent] : []),
    ],
    ...(shards === 'auto' ? { shards } : { shards: shards.ids, shardCount: shards.count }),
    ws,
    rest: {
      api: apiBase,
      globalRequestsPerSecond: Math.max(1, Math.floor(requestsPerSecond * part)),
      rejectOnRateLimit: isTooLong,
    },
    allowedMentions: { parse: [] },
    makeCache: Options.cacheWithLimits({
      AutoModerationRuleManager: 0,
      BaseGuildEmojiManager: 0,
      DMMessageManager: 0,
      GuildBanManager: 0,
      GuildEmojiManager: 0,
      GuildInviteManager: 0,
      GuildMemberManager: { maxSize: 0, keepOverLimit: (member) => member.id === self },
      GuildMessageManager: 0,
      GuildScheduledEventManager: 0,
      GuildStickerManager: 0,
      MessageManager: 0,
      PresenceManager: 0,
      ReactionManager: 0,
      ReactionUserManager: 0,
      StageInstanceManager: 0,
      ThreadMemberManager: 0,
      UserManager: { maxSize: 0, keepOverLimit: (user) => user.id === self },
      VoiceStateManager: 0,
    }),
  });
  // READY lists every guild as unavailable. If Discord leaves the field out here, it would stay so. This
  // event fires before discord.js reads the packet.
  client.on(Events.Raw, ({ t, d }: { t: string; d: { unavailable?: boolean } | null }) => {
    if (t === 'GUILD_CREATE' && d) d.unavailable ??= false;
  });
  client.on(Events.Error, (error) =>
    log.error(fault(error), 'The Discord client reports an error.'),
  );
  client.on(Events.Warn, (message) => log.warn(message));
  client.on(Events.ShardError, (error, shard) => {
    log.warn({ ...faultLine(error), shard }, 'The connection to Discord has an error.');
  });
  client.on(Events.ShardResume, (shard) => log.info({ shard }, 'Back on Discord, nothing missed.'));
  client.rest.on('rateLimited', ({ route, timeToReset, global }) => {
    emitMetric('limit', { scope: global ? 'global' : 'route', seconds: timeToReset / 1000 });
    // The route is a pattern; the URL may hold an interaction's token.
    log.debug({ route, timeToReset, global }, 'Discord asks to wait.');
  });
  return client;
}

type ShardManager = Parameters<NonNullable<WebSocketOptions['buildStrategy']>>[0];

function logClosings(manager: ShardManager, log: Log): void {
  // The event's name is of a package of discord.js that it does not pass on.
  const events = manager as unknown as EventEmitter;
  events.on('closed', ({ code, shardId: shard }: { code: number; shardId: number }) => {
    const meaning = GatewayCloseCodes[code];
    log.info({ shard, code, ...(meaning && { meaning }) }, 'The connection to Discord closed.');
  });
}

/**
 * discord.js ends the client when the first connection has an error, such as a gateway that answers 503
 * instead of an upgrade, though its shards try again by themselves. A refusal for good comes as the event
 * `ShardDisconnect`.
 */
class PatientStrategy extends SimpleShardingStrategy {
  override async connect(): Promise<void> {
    // The error itself is logged as the shard's.
    await super.connect().catch(() => {});
  }
}

/** Votes equal Discord's within a minute after Discord is back, so this is a part of that minute. */
const LONGEST_PAUSE_MS = 15_000;

/**
 * Makes a shard that cannot connect wait longer and longer, and logs why. discord.js would try twice a
 * second. It asks for the session before each try, so that call waits; it also asks at each event.
 */
function pauseBetween({ options }: ShardManager, client: Client, log: Log): void {
  /** By shard, how often it tried to connect in vain. */
  const failures = new Map<number, number>();
  client.on(Events.ShardReady, (shard) => void failures.delete(shard));
  client.on(Events.ShardResume, (shard) => void failures.delete(shard));
  const retrieve = options.retrieveSessionInfo.bind(options);
  options.retrieveSessionInfo = async (shard) => {
    if (client.ws.shards.get(shard)?.status !== Status.Connecting) return retrieve(shard);
    const failed = failures.get(shard) ?? 0;
    failures.set(shard, failed + 1);
    if (failed >= 2) {
      const pauseMs = pauseAfter(failed - 1, { firstMs: 1000, longestMs: LONGEST_PAUSE_MS });
      log.warn(
        { shard },
        `Discord's gateway cannot be reached or hangs up. It is tried again in ${pauseMs / 1000} s. Look at https://discordstatus.com, and see whether a firewall or proxy is in the way.`,
      );
      await pause(pauseMs, undefined, { ref: false });
    }
    return retrieve(shard);
  };
}
