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

/** How an address of Redis may be written, for a person. */
export const addressForms =
  'redis://[user:password@]host[:port][/database], rediss:// for TLS, redis+unix:///path for a unix socket, redis://host:port,host:port for a cluster, which has only database 0, or redis+sentinel://host:port,host:port/group for Sentinels';

/** Not `URL`, which takes no several hosts, and refuses a login without a host. */
const form =
  /^(rediss?|rediss?\+sentinel|(?:redis\+)?unix):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?]*)(\/[^?]*)?(?:\?(.*))?$/i;

/**
 * Understands `redis://`, `rediss://`, `redis+unix://`, `unix://` and a plain absolute path;
 * several hosts separated by commas for a cluster; `redis+sentinel://` and `rediss+sentinel://`.
 * A socket's login and database are written `redis+unix://user:password@/path?db=1`. Null: it is none.
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  if (text.startsWith('/')) return { kind: 'unix', path: text, db: 0 };
  try {
    return parse(text);
  } catch {
    return null; // Neither URL nor decodeURIComponent could read it.
  }
}

function parse(text: string): RedisAddress | null {
  // Some write the scheme before each of the hosts.
  const parts = form.exec(text.replace(/,rediss?:\/\//gi, ','));
  if (parts === null) return null;
  const [, given = '', username, password, hosts = '', path = '', query] = parts;
  const scheme = given.toLowerCase();
  const isSocket = scheme.endsWith('unix');
  const isWatched = scheme.endsWith('sentinel');
  const [group = '', named = ''] = isWatched ? path.slice(1).split('/') : ['', path.slice(1)];
  const database = isSocket ? (new URLSearchParams(query).get('db') ?? '') : named;
  if (!/^\d{0,5}$/.test(database)) return null;
  const login = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    db: Number(database),
  };
  if (isSocket) {
    if (hosts !== '' || path === '') return null;
    return { kind: 'unix', path: decodeURIComponent(path), ...login };
  }
  const tls = scheme.startsWith('rediss');
  const nodes = hosts.split(',').map((host) => parseNode(host, isWatched ? 26379 : 6379));
  const [node, other] = nodes;
  if (isWatched && group === '') return null;
  if (isWatched)
    return { kind: 'sentinel', tls, nodes, group: decodeURIComponent(group), ...login };
  if (other === undefined) return { kind: 'tcp', tls, ...node!, ...login };
  return login.db === 0 ? { kind: 'cluster', tls, nodes, ...login } : null;
}

function parseNode(text: string, defaultPort: number): RedisNode {
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') throw new Error('no host');
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? defaultPort : Number(port),
  };
}
