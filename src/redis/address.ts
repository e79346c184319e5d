/**
 * The address of one server, of a cluster (some of its nodes), or of a group that Sentinels watch.
 */
export type RedisAddress = RedisLogin &
  (
    | ({ kind: 'tcp'; tls: boolean } & RedisNode)
    | { kind: 'unix'; path: string }
    | { kind: 'cluster'; tls: boolean; nodes: RedisNode[] }
    | { kind: 'sentinel'; tls: boolean; nodes: RedisNode[]; group: string }
  );

type RedisNode = { host: string; port: number };

type RedisLogin = { username?: string; password?: string; db: number };

type ParsedAddress =
  | { status: 'ok'; address: RedisAddress }
  /** Follows the setting's name in a sentence. It never holds the address, which has a password. */
  | { status: 'faulty'; fault: string };

const forms =
  'write redis://[user:password@]host[:port][/database], rediss:// for TLS, redis+unix:///path for a unix socket, redis://host:port,host:port for a cluster, or redis+sentinel://host:port,host:port/group for Sentinels';

/**
 * Understands `redis://`, `rediss://`, `redis+unix://`, `unix://` and a plain absolute path;
 * several hosts separated by commas for a cluster; `redis+sentinel://` and `rediss+sentinel://`.
 * A socket's login and database are written `redis+unix://user:password@/path?db=1`.
 */
export function parseRedisAddress(text: string): ParsedAddress {
  if (text.startsWith('/')) return { status: 'ok', address: { kind: 'unix', path: text, db: 0 } };
  try {
    if (/^(redis\+)?unix:/i.test(text)) return parseSocket(text);
    return parseSeveral(text) ?? parseUrl(text);
  } catch {
    // Neither URL nor decodeURIComponent could read it.
    return faulty(`is not an address of Redis: ${forms}`);
  }
}

/** Null for the address of one server. A comma in a password does not separate hosts. */
function parseSeveral(text: string): ParsedAddress | null {
  const parts =
    /^(rediss?)(\+sentinel)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/]*)(?:\/(.*))?$/i.exec(
      // Some write the scheme before each of the hosts.
      text.replace(/,rediss?:\/\//gi, ','),
    );
  if (parts === null) return null;
  const [, scheme = '', sentinel, username, password, hosts = '', path = ''] = parts;
  if (!sentinel && !hosts.includes(',')) return null;
  const tls = scheme.toLowerCase() === 'rediss';
  const [group = '', database = ''] = sentinel ? path.split('/') : ['', path];
  const login = parseLogin(username, password, database);
  if (login === null) return wrongDatabase;
  const nodes = hosts.split(',').map((host) => parseNode(host, sentinel ? 26379 : 6379));
  if (sentinel) {
    if (group === '') return faulty(`names no group of servers: ${forms}`);
    const named = { kind: 'sentinel', tls, nodes, group: decodeURIComponent(group) } as const;
    return { status: 'ok', address: { ...named, ...login } };
  }
  if (login.db !== 0) return faulty('names a database, and a cluster has only database 0');
  return { status: 'ok', address: { kind: 'cluster', tls, nodes, ...login } };
}

function parseNode(text: string, defaultPort: number): RedisNode {
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') throw new Error('no host');
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? defaultPort : Number(port),
  };
}

/** Does not use `URL`, which refuses a login without a host. */
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
const wrongDatabase = faulty(
  'names a database that is not a number: write for example redis://host/0',
);
