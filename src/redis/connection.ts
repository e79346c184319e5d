import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { faultLine, type Log } from '../runtime/log.ts';
import { emitMetric } from '../runtime/metrics.ts';
import { parseRedisAddress, type RedisAddress } from './address.ts';
import { isReply } from './errors.ts';
import { parseInfo } from './server-info.ts';

/** A caller waits this long at most, so that a member gets an answer within 2 s. */
const COMMAND_TIMEOUT_MS = 1500;
/** A connection without an answer for this long is closed and opened again. */
const SOCKET_TIMEOUT_MS = 10_000;
const LONGEST_RETRY_MS = 2000;
const LOADING_POLL_MS = 500;
/** A server answers seldom while it loads. */
const LOADING_ANSWER_MS = 6000;

/**
 * A connection that reconnects for ever after a failure of the server. Meanwhile a command fails
 * within 1.5 s. The server may have applied a command that failed.
 *
 * CLIENT LIST shows `name`. Throws on what is no address.
 *
 * A cluster's connection has the type of a server's: it has the same commands, and sends each to
 * the node that holds its keys. A command without a key goes to any node.
 */
export function connectRedis(url: string, { log, name }: { log: Log; name: string }): Redis {
  const address = parseRedisAddress(url);
  if (address === null) throw new Error('That is no address of Redis.');
  const redis = open(address, name);
  addresses.set(redis, address);
  reportOutages(redis, log.child({ redis: name }));
  return redis;
}

const addresses = new WeakMap<Redis, RedisAddress>();
const lastErrors = new WeakMap<Redis, Error>();

/** Why a connection does not stand: its last error since it was ready. */
export function lastErrorOf(redis: Redis): Error | null {
  return lastErrors.get(redis) ?? null;
}

/**
 * Why the first node of a cluster's address cannot be reached, in the words of Node or Redis; null if it can be. The
 * cluster's own connection says only that it is closed.
 */
export async function askFirstNode(redis: Redis): Promise<Error | null> {
  const { nodes: [node] = [], options } = addresses.get(redis) ?? { options: {} };
  if (node === undefined) return null;
  const alone = new Redis({
    ...options,
    ...node,
    retryStrategy: null,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  let reason: Error | null = null;
  alone.on('error', (error: Error) => void (reason ??= error));
  try {
    await alone.ping();
  } catch (error) {
    reason ??= error as Error;
  } finally {
    alone.disconnect();
  }
  return reason;
}

function open({ nodes, options }: RedisAddress, name: string): Redis {
  const common = {
    ...options,
    connectionName: name,
    // While a server loads its data, it is asked this often whether it is ready.
    maxLoadingRetryTime: LOADING_POLL_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 5000,
    socketTimeout: SOCKET_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    // 2: connect again and resend, since a failover has made this server a replica.
    reconnectOnError: (error: Error) =>
      error.message.startsWith('READONLY') ? (2 as const) : false,
  };
  if (nodes === undefined) {
    return new Redis({ ...common, retryStrategy: retryAfter, sentinelRetryStrategy: retryAfter });
  }
  const cluster = new Cluster(nodes, {
    clusterRetryStrategy: retryAfter,
    // Do not let a command wait for a failover: later commands would overtake it, and a member's
    // first vote would count last. If it fails at once, its caller repeats it in order.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: 2000,
    // A master that hangs does not redirect to the new master, so refresh the slots regularly.
    slotsRefreshInterval: 5000,
    // Certificates name hosts. The driver would look their addresses up and ask by these.
    ...(options.tls ? { dnsLookup: keepName } : {}),
    redisOptions: common,
  });
  // What differs, callers find by `isCluster`.
  return cluster as unknown as Redis;
}

function keepName(name: string, done: (error: null, name: string) => void): void {
  done(null, name);
}

function retryAfter(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), LONGEST_RETRY_MS);
}

/**
 * Logs a line when Redis goes away, for each new reason, and when it is back, not for each retry.
 */
function reportOutages(redis: Redis, log: Log): void {
  const reasons = new Set<string>();
  // Without this handler the first error would end the process.
  redis.on('error', (error: Error) => {
    lastErrors.set(redis, error);
    // The wait before the next try grows, and with Sentinels it is part of the message.
    const reason = error.message.replace(/\d+ms/, '');
    if (reasons.has(reason)) return;
    if (reasons.size === 0) emitMetric('redis', { reachable: false });
    reasons.add(reason);
    log.error(faultLine(error), outageOf(error));
  });
  redis.on('ready', () => {
    lastErrors.delete(redis);
    if (reasons.size === 0) return;
    emitMetric('redis', { reachable: true });
    log.info('Redis can be reached again.');
    reasons.clear();
  });
}

function outageOf({ message }: Error): string {
  if (isReply(message)) return 'Redis answers, and refuses the connection.';
  if (message.startsWith('Unknown RESP type')) return 'What answers is no Redis.';
  return 'Redis cannot be reached.';
}

/**
 * Waits while Redis reads its data from the disk, which takes minutes for many gigabytes. Also
 * resolves if Redis does not answer: `checkServer` says why. The nodes of a cluster are not asked.
 */
export async function awaitLoaded(redis: Redis, log: Log, pollMs = LOADING_POLL_MS): Promise<void> {
  if (redis.isCluster) return;
  // Other connections send nothing before the server is ready.
  const asking = redis.duplicate({
    enableReadyCheck: false,
    commandTimeout: LOADING_ANSWER_MS,
  });
  asking.on('error', () => {}); // The command fails with it.
  for (let polls = 0; ; polls++) {
    const info = parseInfo(await asking.info('persistence').catch(() => ''));
    if (info.get('loading') !== '1') break;
    if (polls === 0) log.info('Redis still reads its data from the disk. Frontpage waits for it.');
    await pause(pollMs);
  }
  asking.disconnect();
}
