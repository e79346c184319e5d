import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { fault, type Log } from '../log.ts';
import { parseRedisAddress, type RedisAddress } from './redis-address.ts';
import { isSupported, oldestVersion, parseInfo } from './server-version.ts';

/** The longest that a caller waits for an answer, so that a member is answered within 2 s. */
const commandTimeoutMs = 1500;
/** A connection that owes an answer for so long is given up and made anew. */
const socketTimeoutMs = 10_000;
const longestRetryMs = 2000;

/**
 * A connection that outlives every failure of the server: it connects again for ever, and a command
 * meanwhile fails within 1.5 s. A command that failed may have been applied all the same.
 *
 * `name` is what CLIENT LIST shows. Throws on an address that `parseRedisAddress` refuses.
 */
export function connectRedis(url: string, { log, name }: { log: Log; name: string }): Redis {
  const parsed = parseRedisAddress(url);
  if (parsed.status === 'faulty') throw new Error(`The address of Redis ${parsed.fault}.`);
  const redis = new Redis({
    ...place(parsed.address),
    connectionName: name,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 5000,
    socketTimeout: socketTimeoutMs,
    maxRetriesPerRequest: 1,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), longestRetryMs),
    // 2: connect again and resend, since a failover has made this server a replica.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  reportOutages(redis, log.child({ redis: name }));
  return redis;
}

type Place = Pick<RedisOptions, 'path' | 'host' | 'port' | 'tls' | 'db' | 'username' | 'password'>;

function place(address: RedisAddress): Place {
  const { username, password, db } = address;
  const login = {
    db,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  if (address.kind === 'unix') return { path: address.path, ...login };
  const { host, port, tls } = address;
  // A certificate is asked for by name, and an address is not a name.
  const secure = isIP(host) === 0 ? { servername: host } : {};
  return { host, port, ...login, ...(tls ? { tls: secure } : {}) };
}

/** One line when Redis goes, one for each new reason, one when it is back; not one a retry. */
function reportOutages(redis: Redis, log: Log): void {
  let lastReason: string | undefined;
  // Without this handler the first error would end the process.
  redis.on('error', (error: Error) => {
    if (error.message === lastReason) return;
    lastReason = error.message;
    log.error(fault(error), 'Redis cannot be reached.');
  });
  redis.on('ready', () => {
    if (lastReason !== undefined) log.info('Redis can be reached again.');
    lastReason = undefined;
  });
}

export type ServerCheck =
  | { status: 'accepted'; version: string; warnings: string[] }
  | { status: 'refused'; reason: string }
  | { status: 'unreachable'; reason: string };

/** Whether a server can keep Frontpage's promises. Warnings and reasons are whole sentences. */
export async function checkServer(redis: Redis): Promise<ServerCheck> {
  try {
    return judgeServer(parseInfo(await redis.info()));
  } catch (error) {
    const { message } = error as Error;
    if (/^(NOPERM|ERR unknown command)/.test(message)) {
      return {
        status: 'accepted',
        version: 'unknown',
        warnings: [
          'Redis does not let Frontpage use INFO: its version, its append-only file and its eviction policy could not be checked.',
        ],
      };
    }
    return { status: 'unreachable', reason: `Redis does not answer: ${message}` };
  }
}

/** INFO tells everything that CONFIG GET would, and hosted servers allow it. */
export function judgeServer(info: Map<string, string>): ServerCheck {
  const version = info.get('redis_version') ?? '0';
  if (!isSupported(version)) {
    return {
      status: 'refused',
      reason: `Redis is version ${version}, and Frontpage needs ${oldestVersion} or later: update it, or leave REDIS_URL empty to let Frontpage run a server of its own.`,
    };
  }
  if (info.get('redis_mode') === 'cluster') {
    return {
      status: 'refused',
      reason:
        'Redis runs in cluster mode, and Frontpage needs a single server: give another REDIS_URL.',
    };
  }
  if (info.get('role') === 'slave') {
    return {
      status: 'refused',
      reason: 'Redis is a read-only replica: give the address of its master as REDIS_URL.',
    };
  }
  return { status: 'accepted', version, warnings: warnings(info) };
}

function warnings(info: Map<string, string>): string[] {
  const appendOnly = info.get('aof_enabled');
  const policy = info.get('maxmemory_policy');
  const found: string[] = [];
  if (appendOnly === undefined) {
    found.push('Whether Redis keeps an append-only file could not be checked.');
  } else if (appendOnly !== '1') {
    found.push(
      'Redis keeps no append-only file, so votes and settings are lost when it ends: set appendonly yes.',
    );
  }
  if (policy === undefined) {
    found.push('The eviction policy of Redis could not be checked.');
  } else if (policy !== 'noeviction') {
    found.push(
      `Redis throws data away when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction.`,
    );
  }
  return found;
}
