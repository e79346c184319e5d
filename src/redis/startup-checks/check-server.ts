import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { CannotStart } from '../../runtime/cannot-start.ts';
import { isReply } from '../errors.ts';
import { isSupported, OLDEST_VERSION, parseInfo } from '../server-info.ts';
import { askFirstNode, lastErrorOf } from '../connection.ts';
import { findMissingPermissions } from './acl-permissions.ts';

/** The warnings are about promises that the server may not keep, or that could not be checked. */
type CheckedServer = { engine: 'Redis' | 'Valkey'; version: string; warnings: string[] };

const UNCHECKED =
  "Redis doesn't permit INFO, so its version, append-only file and eviction policy couldn't be checked.";

/** The driver keeps a command for as long as it reaches no node of a cluster. */
const ANSWER_WAIT_MS = 6000;

/**
 * Checks whether a server can keep Frontpage's promises. In a cluster it checks one master. Throws
 * `CannotStart`. Warnings are whole sentences, for the person who starts the bot.
 */
export async function checkServer(
  redis: Redis,
  answerWaitMs = ANSWER_WAIT_MS,
): Promise<CheckedServer> {
  // The connection's error says what is wrong; a command's error may only be a timeout.
  const reasons: string[] = [];
  const note = (error: Error) => void reasons.push(...reasonOf(error));
  for (const event of ERROR_EVENTS) redis.on(event, note);
  try {
    const asked = redis.info().catch((error: Error) => {
      if (error.message.startsWith('NOPERM')) return null;
      throw error;
    });
    const late = pause(answerWaitMs, undefined, { ref: false }).then(() => {
      throw new Error('no node answers as one of a cluster');
    });
    const info = await Promise.race([asked, late]);
    const server =
      info === null
        ? { engine: 'Redis' as const, version: 'unknown', warnings: [UNCHECKED] }
        : judgeServer(parseInfo(info), redis.isCluster);
    const { db } = redis.options;
    // The driver only reports that it is refused, and goes on with the first database.
    if (db)
      await redis.call('SELECT', db).catch((error: Error) => {
        if (error.name !== 'ReplyError') throw error;
        throw new CannotStart(
          `Redis refuses the database ${db} of REDIS_URL (${error.message}): correct the number, or permit SELECT.`,
          'config',
        );
      });
    const missing = await findMissingPermissions(redis);
    if (missing.length > 0) {
      throw new CannotStart(
        `Redis does not permit all that Frontpage needs. Grant it with: ACL SETUSER <the user in REDIS_URL> ${missing.join(' ')}`,
        'config',
      );
    }
    return server;
  } catch (error) {
    if (error instanceof CannotStart) throw error;
    const { name, message } = error as Error;
    const isOfDriver = name === 'MaxRetriesPerRequestError';
    const ofNode = reasons.length === 0 && redis.isCluster ? await askFirstNode(redis) : null;
    if (ofNode !== null) note(ofNode);
    // It came before anybody asked here, and a server that still hangs up says nothing more.
    const before = lastErrorOf(redis);
    if (reasons.length === 0 && before !== null) note(before);
    // One of several servers may be away while another says what must be corrected.
    const decisive = reasons.find((reason) => LOGIN.test(reason) || UNKNOWN_GROUP.test(reason));
    const why = decisive ?? reasons.at(-1) ?? (isOfDriver ? 'no connection' : message);
    throw refusal(why, redis);
  } finally {
    for (const event of ERROR_EVENTS) redis.off(event, note);
  }
}

/** What a host reads about a server that cannot be used, by the words of the server, the driver or Node. */
function refusal(why: string, { options }: Redis): CannotStart {
  const [login] = LOGIN.exec(why) ?? [];
  if (login !== undefined && why.includes('sentinel')) {
    return new CannotStart(
      `The Sentinels do not accept their password (${login}): write it at the end of REDIS_URL as ?sentinelPassword=…, with sentinelUsername=…& before it if there is a user.`,
      'config',
    );
  }
  if (login === 'NOAUTH' && !options.password) {
    return new CannotStart(
      'Redis asks for a password, and REDIS_URL has none: write it as redis://:password@host, with the user before the colon if there is one.',
      'config',
    );
  }
  if (login !== undefined) {
    return new CannotStart(
      `Redis does not accept the password of REDIS_URL (${login}): write it as redis://:password@host, with the user before the colon if there is one.`,
      'config',
    );
  }
  if (UNKNOWN_GROUP.test(why)) {
    return new CannotStart(
      `The Sentinels know no group ${options.name}: write the name that they watch (sentinel monitor <name> …) at the end of REDIS_URL.`,
      'config',
    );
  }
  if (why.includes('cluster support disabled')) {
    return new CannotStart(
      'REDIS_URL names several servers, which are no cluster: name the master alone, or write redis+sentinel:// if these are Sentinels.',
      'config',
    );
  }
  if (why.startsWith('Unknown RESP type')) {
    return new CannotStart(
      'What answers is no Redis: correct REDIS_URL, since another program listens there.',
      'unavailable',
    );
  }
  if (isReply(why)) {
    return new CannotStart(
      `Redis answers, and refuses (${why}): correct that on the server.`,
      'unavailable',
    );
  }
  return new CannotStart(
    `Redis does not answer (${why}): ${cureOf(why, 'tls' in options)}`,
    'unavailable',
  );
}

/** Those of a server, of Sentinels, and of a cluster's nodes. */
const ERROR_EVENTS = ['error', 'sentinelError', 'node error'];
const LOGIN = /\b(WRONGPASS|NOAUTH|ERR invalid password)\b/;
/** What a Sentinel answers that watches nothing of that name. */
const UNKNOWN_GROUP = /No such master with that name|got an invalid reply: null/;

/**
 * The words of the driver or of Node that say why, if there are any. A cluster's error has that of its last
 * node inside. That all Sentinels failed, or that a connection is closed, says less than the error before.
 */
function reasonOf(error: Error & { code?: string; lastNodeError?: Error }): string[] {
  const { message, code = '', lastNodeError } = error;
  if (lastNodeError) return reasonOf(lastNodeError);
  if (/^(All sentinels are unreachable|Connection is closed)/.test(message)) return [];
  // OpenSSL's messages are addresses and lines of its source, and its codes say the same in words.
  const words = code.startsWith('ERR_SSL') ? code : message || code;
  return words === '' ? [] : [words];
}

/** What a person may try, by the words of the driver and of Node. */
function cureOf(why: string, tls: boolean): string {
  if (/certificate/.test(why)) {
    return 'set NODE_EXTRA_CA_CERTS to the file of its authority, in the environment and not in .env, and name in REDIS_URL the host that the certificate names.';
  }
  const schemes = tls ? 'redis:// if it has no TLS' : 'rediss:// if it has TLS';
  const hint = /timed out|ETIMEDOUT|ECONNRESET|EPIPE|WRONG_VERSION/.test(why)
    ? ` (${schemes})`
    : '';
  return `start it, correct REDIS_URL${hint}, or leave REDIS_URL empty to let Frontpage run a server of its own.`;
}

/** Reads INFO, because hosted servers allow it and may forbid CONFIG GET. */
export function judgeServer(info: Map<string, string>, isCluster = false): CheckedServer {
  const version = info.get('redis_version') ?? '0';
  if (!isSupported(version)) {
    throw new CannotStart(
      `Redis is version ${version}, and Frontpage needs ${OLDEST_VERSION} or later: update it, or leave REDIS_URL empty to let Frontpage run a server of its own.`,
      'config',
    );
  }
  if (info.get('redis_mode') === 'sentinel') {
    throw new CannotStart(
      'REDIS_URL names a Sentinel, which keeps no data: write redis+sentinel:// for redis://, and at the end / and the name of the group that it watches.',
      'config',
    );
  }
  if (info.get('redis_mode') === 'cluster' && !isCluster) {
    throw new CannotStart(
      'Redis runs in cluster mode: give several of its nodes as REDIS_URL, separated by commas.',
      'config',
    );
  }
  if (info.get('role') === 'slave') {
    // A failover may be under way, so that a later start finds the master here.
    throw new CannotStart(
      'Redis is a read-only replica: give the address of its master as REDIS_URL.',
      'unavailable',
    );
  }
  const valkey = info.get('valkey_version');
  // A Valkey reports the version of Redis that it is compatible with, too.
  return valkey === undefined
    ? { engine: 'Redis', version, warnings: warnings(info) }
    : { engine: 'Valkey', version: valkey, warnings: warnings(info) };
}

function warnings(info: Map<string, string>): string[] {
  // A server that reads its file from the disk says that it writes none.
  const appendOnly = info.get('loading') === '1' ? '1' : info.get('aof_enabled');
  const policy = info.get('maxmemory_policy');
  const found: string[] = [];
  if (appendOnly === undefined) {
    found.push("Couldn't check whether Redis keeps an append-only file.");
  } else if (appendOnly !== '1') {
    found.push(
      'Redis keeps no append-only file, so votes and settings are lost when it stops: set appendonly yes.',
    );
  }
  if (policy === undefined) found.push("Couldn't check the eviction policy of Redis.");
  else if (policy !== 'noeviction') {
    found.push(
      `Redis throws data away when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction.`,
    );
  }
  return found;
}
