import { parseUrl } from '../url.ts';

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

/** Not `URL`, which takes no several hosts, and refuses a login without a host. */
const form = /^([a-z+]+):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?]*)(\/[^?]*)?(?:\?(.*))?$/i;
const schemes = /^(rediss?|rediss?\+sentinel|(redis\+)?unix)$/;

/**
 * Understands `redis://`, `rediss://`, `redis+unix://`, `unix://` and a plain absolute path;
 * several hosts separated by commas for a cluster; `redis+sentinel://` and `rediss+sentinel://`.
 * A socket's login and database are written `redis+unix://user:password@/path?db=1`.
 */
export function parseRedisAddress(text: string): ParsedAddress {
  if (text.startsWith('/')) return { status: 'ok', address: { kind: 'unix', path: text, db: 0 } };
  try {
    return parse(text);
  } catch {
    // Neither URL nor decodeURIComponent could read it.
    return faulty(`is not an address of Redis: ${forms}`);
  }
}

function parse(text: string): ParsedAddress {
  // Some write the scheme before each of the hosts.
  const parts = form.exec(text.replace(/,rediss?:\/\//gi, ','));
  if (parts === null && parseUrl(text) === null) throw new Error('no address');
  const [, given = '', username, password, hosts = '', path = '', query] = parts ?? [];
  const scheme = given.toLowerCase();
  if (!schemes.test(scheme)) {
    return faulty(`does not begin with redis://, rediss:// or redis+unix://: ${forms}`);
  }
  const isSocket = scheme.endsWith('unix');
  const isWatched = scheme.endsWith('sentinel');
  const [group = '', named = ''] = isWatched ? path.slice(1).split('/') : ['', path.slice(1)];
  const database = isSocket ? (new URLSearchParams(query).get('db') ?? '') : named;
  if (!/^\d{0,5}$/.test(database)) {
    return faulty('names a database that is not a number: write for example redis://host/0');
  }
  const login = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    db: Number(database),
  };
  if (isSocket) {
    if (hosts !== '' || path === '') throw new Error('no path');
    return { status: 'ok', address: { kind: 'unix', path: decodeURIComponent(path), ...login } };
  }
  if (hosts === '') return faulty(`names no host: ${forms}`);
  const tls = scheme.startsWith('rediss');
  const nodes = hosts.split(',').map((host) => parseNode(host, isWatched ? 26379 : 6379));
  const [node, other] = nodes;
  if (isWatched) {
    if (group === '') return faulty(`names no group of servers: ${forms}`);
    const watched = { kind: 'sentinel', tls, nodes, group: decodeURIComponent(group) } as const;
    return { status: 'ok', address: { ...watched, ...login } };
  }
  if (other === undefined)
    return { status: 'ok', address: { kind: 'tcp', tls, ...node!, ...login } };
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

const faulty = (fault: string): ParsedAddress => ({ status: 'faulty', fault });
