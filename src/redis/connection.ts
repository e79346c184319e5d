import { isIP } from 'node:net';
import { Cluster, Redis } from 'ioredis';
import { fault, type Log } from '../log.ts';
import { tell } from '../metrics.ts';
import { parseRedisAddress, type RedisAddress } from './address.ts';
import { findMissingPermissions } from './permissions.ts';
import { isSupported, oldestVersion, parseInfo } from './private-server/version.ts';

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
 *
 * A cluster's connection is returned as a server's: it has the same commands, each sent to the node
 * that holds its keys. Commands without a key reach some node.
 */
export function connectRedis(url: string, { log, name }: { log: Log; name: string }): Redis {
  const parsed = parseRedisAddress(url);
  if (parsed.status === 'faulty') throw new Error(`The address of Redis ${parsed.fault}.`);
  const redis = open(parsed.address, name);
  reportOutages(redis, log.child({ redis: name }));
  return redis;
}

function open(address: RedisAddress, name: string): Redis {
  const { username, password, db } = address;
  const common = {
    connectionName: name,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 5000,
    socketTimeout: socketTimeoutMs,
    maxRetriesPerRequest: 1,
    // 2: connect again and resend, since a failover has made this server a replica.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  switch (address.kind) {
    case 'unix':
      return new Redis({ ...common, retryStrategy: retryAfter, db, path: address.path });
    case 'tcp': {
      const { host, port, tls } = address;
      return new Redis({
        ...common,
        retryStrategy: retryAfter,
        db,
        host,
        port,
        ...(tls ? { tls: certificateOf(host) } : {}),
      });
    }
    case 'sentinel': {
      const { nodes, group, tls } = address;
      const secure = tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
      const watched = { sentinels: nodes, name: group, sentinelRetryStrategy: retryAfter };
      return new Redis({ ...common, retryStrategy: retryAfter, db, ...watched, ...secure });
    }
    case 'cluster': {
      const { nodes, tls } = address;
      const cluster = new Cluster(nodes, {
        clusterRetryStrategy: retryAfter,
        // A command that waits out a failover is overtaken by later ones, and then what a member
        // did first counts last. Refused at once, it is kept by who knows the order.
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        slotsRefreshTimeout: 2000,
        // A master that hangs sends nobody to its successor.
        slotsRefreshInterval: 5000,
        redisOptions: { ...common, ...(tls ? { tls: {} } : {}) },
      });
      return cluster as unknown as Redis;
    }
  }
}

function retryAfter(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), longestRetryMs);
}

/** A certificate is asked for by name, and an address is not a name. */
function certificateOf(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** One line when Redis goes, one for each new reason, one when it is back; not one a retry. */
function reportOutages(redis: Redis, log: Log): void {
  let lastReason: string | undefined;
  // Without this handler the first error would end the process.
  redis.on('error', (error: Error) => {
    if (error.message === lastReason) return;
    if (lastReason === undefined) tell('redis', { reachable: false });
    lastReason = error.message;
    log.error(fault(error), 'Redis cannot be reached.');
  });
  redis.on('ready', () => {
    if (lastReason === undefined) return;
    tell('redis', { reachable: true });
    log.info('Redis can be reached again.');
    lastReason = undefined;
  });
}

/** What of the promises a server may not keep, or what could not be checked. */
export type ServerWarning =
  | { is: 'unchecked' | 'aof-unchecked' | 'aof-off' | 'policy-unchecked' }
  | { is: 'evicting'; policy: string };

export type ServerCheck =
  | { status: 'accepted'; version: string; warnings: ServerWarning[] }
  | { status: 'refused'; is: 'old' | 'cluster' | 'replica' | 'forbidden'; reason: string }
  | { status: 'unreachable'; is: 'silent'; reason: string };

/**
 * Whether a server can keep Frontpage's promises; of a cluster, one of its masters.
 * Reasons are whole sentences, for the person who starts the bot.
 */
export async function checkServer(redis: Redis): Promise<ServerCheck> {
  // The connection knows better than a command that was given up what is wrong.
  let reason = '';
  const note = (error: Error & { code?: string }) => (reason = error.message || (error.code ?? ''));
  redis.on('error', note);
  try {
    const { isCluster } = redis as { isCluster?: boolean };
    const info = await infoOf(redis).catch((error: Error) => {
      if (/^(NOPERM|ERR unknown command)/.test(error.message)) return null;
      throw error;
    });
    const check = info === null ? null : judgeServer(parseInfo(info), isCluster === true);
    if (check !== null && check.status !== 'accepted') return check;
    const missing = await findMissingPermissions(redis);
    if (missing.length > 0) return forbidden(missing);
    return check ?? { status: 'accepted', version: 'unknown', warnings: [{ is: 'unchecked' }] };
  } catch (error) {
    return {
      status: 'unreachable',
      is: 'silent',
      reason: `Redis does not answer (${reason || (error as Error).message}): start it, correct REDIS_URL, or leave REDIS_URL empty to let Frontpage run a server of its own.`,
    };
  } finally {
    redis.off('error', note);
  }
}

function forbidden(missing: string[]): ServerCheck {
  return {
    status: 'refused',
    is: 'forbidden',
    reason: `Redis does not permit all that Frontpage needs. Grant it with: ACL SETUSER <the user in REDIS_URL> ${missing.join(' ')}`,
  };
}

/** Of a cluster, from whichever master answers: one of them may just be failed over. */
async function infoOf(redis: Redis | Cluster): Promise<string> {
  try {
    return await redis.info();
  } catch (error) {
    const masters = 'nodes' in redis ? redis.nodes('master') : [];
    return Promise.any(masters.map((master) => master.info())).catch(() => {
      throw error;
    });
  }
}

/** INFO tells everything that CONFIG GET would, and hosted servers allow it. */
export function judgeServer(info: Map<string, string>, isCluster = false): ServerCheck {
  const version = info.get('redis_version') ?? '0';
  if (!isSupported(version)) {
    return {
      status: 'refused',
      is: 'old',
      reason: `Redis is version ${version}, and Frontpage needs ${oldestVersion} or later: update it, or leave REDIS_URL empty to let Frontpage run a server of its own.`,
    };
  }
  if (info.get('redis_mode') === 'cluster' && !isCluster) {
    return {
      status: 'refused',
      is: 'cluster',
      reason:
        'Redis runs in cluster mode: give several of its nodes as REDIS_URL, separated by commas.',
    };
  }
  if (info.get('role') === 'slave') {
    return {
      status: 'refused',
      is: 'replica',
      reason: 'Redis is a read-only replica: give the address of its master as REDIS_URL.',
    };
  }
  return { status: 'accepted', version, warnings: warnings(info) };
}

function warnings(info: Map<string, string>): ServerWarning[] {
  const appendOnly = info.get('aof_enabled');
  const policy = info.get('maxmemory_policy');
  const found: ServerWarning[] = [];
  if (appendOnly === undefined) found.push({ is: 'aof-unchecked' });
  else if (appendOnly !== '1') found.push({ is: 'aof-off' });
  if (policy === undefined) found.push({ is: 'policy-unchecked' });
  else if (policy !== 'noeviction') found.push({ is: 'evicting', policy });
  return found;
}
