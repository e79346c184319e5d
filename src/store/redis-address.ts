/**
 * Where a Redis is. Sentinel and clusters have their place here once they are served: a new kind,
 * which does not compile until `connectRedis` knows it.
 */
export type RedisAddress = RedisLogin &
  ({ kind: 'tcp'; host: string; port: number; tls: boolean } | { kind: 'unix'; path: string });

type RedisLogin = { username?: string; password?: string; db: number };

export type ParsedAddress =
  | { status: 'ok'; address: RedisAddress }
  /** What is wrong, to follow the setting's name; never the address itself, which holds a password. */
  | { status: 'faulty'; fault: string };

const forms =
  'write redis://[user:password@]host[:port][/database], rediss:// for TLS, or redis+unix:///path for a unix socket';

/**
 * Understands `redis://`, `rediss://`, `redis+unix://`, `unix://` and a plain absolute path.
 * A socket's login and database are written `redis+unix://user:password@/path?db=1`.
 */
export function parseRedisAddress(text: string): ParsedAddress {
  if (text.startsWith('/')) return { status: 'ok', address: { kind: 'unix', path: text, db: 0 } };
  try {
    return /^(redis\+)?unix:/i.test(text) ? parseSocket(text) : parseUrl(text);
  } catch {
    // Neither URL nor decodeURIComponent could read it.
    return text.includes(',') ? severalServers : faulty(`is not an address of Redis: ${forms}`);
  }
}

/** By hand, because a URL may not have a login without a host. */
function parseSocket(text: string): ParsedAddress {
  const parts = /^[^:]+:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\/[^?]*)(?:\?(.*))?$/.exec(text);
  if (parts === null) return faulty(`is not an address of Redis: ${forms}`);
  const [, username, password, path = '', query] = parts;
  const login = parseLogin(username, password, new URLSearchParams(query).get('db'));
  if (login === null) return wrongDatabase;
  return { status: 'ok', address: { kind: 'unix', path: decodeURIComponent(path), ...login } };
}

function parseUrl(text: string): ParsedAddress {
  const url = new URL(text);
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    return faulty(`does not begin with redis://, rediss:// or redis+unix://: ${forms}`);
  }
  if (url.hostname === '') return faulty(`names no host: ${forms}`);
  if (url.hostname.includes(',')) return severalServers;
  const login = parseLogin(url.username, url.password, url.pathname.replace(/^\//, ''));
  if (login === null) return wrongDatabase;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 6379 : Number(url.port);
  return {
    status: 'ok',
    address: { kind: 'tcp', host, port, tls: url.protocol === 'rediss:', ...login },
  };
}

function parseLogin(
  username: string | undefined,
  password: string | undefined,
  database: string | null,
): RedisLogin | null {
  if (database && !/^\d{1,5}$/.test(database)) return null;
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    db: Number(database ?? 0),
  };
}

const faulty = (fault: string): ParsedAddress => ({ status: 'faulty', fault });
const severalServers = faulty(
  'lists several servers, and Frontpage talks to one: give one address',
);
const wrongDatabase = faulty(
  'names a database that is not a number: write for example redis://host/0',
);
