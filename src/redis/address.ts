import { isIP } from 'node:net';
import type { RedisOptions } from 'ioredis';
import { parseUrl } from '../runtime/url.ts';

/**
 * How the driver reaches one server, a group that Sentinels watch, or a cluster by some of its `nodes`,
 * which only a cluster has.
 */
export type RedisAddress = { nodes?: RedisNode[]; options: Omit<RedisOptions, 'replyMapping'> };

type RedisNode = { host: string; port: number };

/** How an address of Redis may be written, for a person. */
const forms =
  'redis://[user:password@]host[:port][/database], rediss:// for TLS, redis+unix:///path for a unix socket, redis://host:port,host:port for a cluster, or redis+sentinel://host:port,host:port/group for Sentinels';

/** Not `URL`, which takes no several hosts, and refuses a login without a host. */
const form =
  /^(rediss?|rediss?\+sentinel|valkeys?|(?:redis\+)?unix):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?]*)(\/[^?]*)?(?:\?(.*))?$/i;

/** A sentence without a full stop, which follows the name of the variable. It repeats nothing of the address. */
class BadAddress extends Error {}

/**
 * Understands `redis://`, `rediss://`, `valkey://`, `valkeys://`, `redis+unix://`, `unix://` and a plain absolute
 * path; several hosts separated by commas for a cluster; `redis+sentinel://` and `rediss+sentinel://`.
 * A socket's login and database are written `redis+unix://user:password@/path?db=1`, the login of Sentinels
 * themselves `?sentinelUsername=…&sentinelPassword=…`. Null: `faultOfAddress` says why.
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  const read = readAddress(text);
  return read instanceof BadAddress ? null : read;
}

/** What is wrong with an address, and the cure, as the rest of a sentence; null if it can be used. */
export function faultOfAddress(text: string): string | null {
  const read = readAddress(text);
  return read instanceof BadAddress ? read.message : null;
}

function readAddress(text: string): RedisAddress | BadAddress {
  if (text.startsWith('/')) return { options: { path: text } };
  try {
    return parse(text);
  } catch (error) {
    if (hasBareSign(text)) {
      return new BadAddress(
        'has a sign in its user or password that must be written otherwise: write it as %40 for @, %2F for /, %23 for #, %25 for %',
      );
    }
    return error instanceof BadAddress ? error : new BadAddress(`cannot be read: write ${forms}`);
  }
}

/** Whether the login before the last @ has a sign that ends it too early, or a % of its own. */
function hasBareSign(text: string): boolean {
  const [, scheme = '', rest = ''] = /^(\w[\w+]*):\/\/(.*?)(?:\?sentinel.*)?$/.exec(text) ?? [];
  const login = rest.slice(0, Math.max(0, rest.lastIndexOf('@')));
  return !/unix$/i.test(scheme) && /[@/]|%(?![\da-f]{2})/i.test(login);
}

function parse(text: string): RedisAddress {
  // Some write the scheme before each of the hosts.
  const parts = form.exec(text.replace(/,(?:redis|valkey)s?:\/\//gi, ','));
  if (parts === null) throw new BadAddress(`is not an address of Redis: write ${forms}`);
  const [, spelled = '', username, password, hosts = '', path = '', query = ''] = parts;
  const scheme = spelled.toLowerCase();
  const isSocket = scheme.endsWith('unix');
  const isWatched = scheme.endsWith('sentinel');
  const parameters = parametersOf(query, isSocket, isWatched);
  const [group = '', named = ''] = isWatched ? path.slice(1).split('/') : ['', path.slice(1)];
  const database = isSocket ? (parameters.get('db') ?? '') : named;
  if (!/^\d{0,5}$/.test(database)) {
    throw new BadAddress('names a database that is not a number: write 0, or leave it out');
  }
  const login = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    db: Number(database),
  };
  if (isSocket) {
    if (hosts !== '' || path === '') {
      throw new BadAddress('names no path of a socket: write redis+unix:/// and the path');
    }
    return { options: { path: decodeURIComponent(path), ...login } };
  }
  const isSecure = /^(redis|valkey)s/.test(scheme);
  const nodes = hosts.split(',').map((host) => parseNode(host, isWatched ? 26379 : 6379));
  if (isWatched) {
    if (group === '') {
      throw new BadAddress(
        'names no group of the Sentinels: write the name that they watch at the end, such as /mymaster',
      );
    }
    const tls = isSecure ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
    const name = decodeURIComponent(group);
    return { options: { sentinels: nodes, name, ...tls, ...login, ...sentinelLogin(parameters) } };
  }
  const [node, other] = nodes;
  if (other !== undefined) {
    if (login.db !== 0) {
      throw new BadAddress('names a database of a cluster: leave it out, there is only database 0');
    }
    return { nodes, options: { ...(isSecure ? { tls: {} } : {}), ...login } };
  }
  // TLS asks for a certificate by host name (SNI), and an IP address is not one.
  const tls = isIP(node!.host) === 0 ? { servername: node!.host } : {};
  return { options: { ...node, ...(isSecure ? { tls } : {}), ...login } };
}

/** What stands behind the ?. A parameter of another program's would count for nothing, and TLS be missed. */
function parametersOf(query: string, isSocket: boolean, isWatched: boolean): URLSearchParams {
  const known = isSocket ? ['db'] : isWatched ? ['sentinelUsername', 'sentinelPassword'] : [];
  const parameters = new URLSearchParams(query);
  if ([...parameters.keys()].every((name) => known.includes(name))) return parameters;
  throw new BadAddress(
    `has a parameter behind ? that Frontpage does not know: ${known.length > 0 ? `write ${known.join(' or ')}` : 'leave it out, and write rediss:// for TLS'}`,
  );
}

/** Sentinels have users of their own, and most setups give them no password. */
function sentinelLogin(
  parameters: URLSearchParams,
): Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword'> {
  const [username, password] = ['sentinelUsername', 'sentinelPassword'].map((name) =>
    parameters.get(name),
  );
  return {
    ...(username ? { sentinelUsername: username } : {}),
    ...(password ? { sentinelPassword: password } : {}),
  };
}

function parseNode(text: string, defaultPort: number): RedisNode {
  // In .env, the rest of a line behind " #" or a bare # is a comment.
  if (/^(:|$)/.test(text)) {
    throw new BadAddress(
      'names no host: write redis://host:port, and %23 for a # in a password, which begins a comment in .env',
    );
  }
  const url = parseUrl(`redis://${text}`);
  if (url === null) {
    throw new BadAddress(
      'has a host or port that cannot be: write host:port, with a port from 1 to 65535',
    );
  }
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
  };
}
