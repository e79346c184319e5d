import { isIP } from 'node:net';
import type { RedisOptions } from 'ioredis';

/**
 * How the driver reaches one server, a group that Sentinels watch, or a cluster by some of its `nodes`,
 * which only a cluster has.
 */
export type RedisAddress = { nodes?: RedisNode[]; options: Omit<RedisOptions, 'replyMapping'> };

type RedisNode = { host: string; port: number };

/** How an address of Redis may be written, for a person. */
export const addressForms =
  'redis://[user:password@]host[:port][/database], rediss:// for TLS, redis+unix:///path for a unix socket, redis://host:port,host:port for a cluster, which has only database 0, or redis+sentinel://host:port,host:port/group for Sentinels, with ?sentinelPassword=… where they ask for one';

/** Not `URL`, which takes no several hosts, and refuses a login without a host. */
const form =
  /^(rediss?|rediss?\+sentinel|(?:redis\+)?unix):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?]*)(\/[^?]*)?(?:\?(.*))?$/i;

/**
 * Understands `redis://`, `rediss://`, `redis+unix://`, `unix://` and a plain absolute path;
 * several hosts separated by commas for a cluster; `redis+sentinel://` and `rediss+sentinel://`.
 * A socket's login and database are written `redis+unix://user:password@/path?db=1`, the login of Sentinels
 * themselves `?sentinelUsername=…&sentinelPassword=…`. Null: it is none.
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  if (text.startsWith('/')) return { options: { path: text } };
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
  const [, spelled = '', username, password, hosts = '', path = '', query] = parts;
  const scheme = spelled.toLowerCase();
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
    return { options: { path: decodeURIComponent(path), ...login } };
  }
  const isSecure = scheme.startsWith('rediss');
  const nodes = hosts.split(',').map((host) => parseNode(host, isWatched ? 26379 : 6379));
  if (isWatched) {
    if (group === '') return null;
    const tls = isSecure ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
    const name = decodeURIComponent(group);
    return { options: { sentinels: nodes, name, ...tls, ...login, ...sentinelLogin(query) } };
  }
  const [node, other] = nodes;
  if (other !== undefined) {
    if (login.db !== 0) return null;
    return { nodes, options: { ...(isSecure ? { tls: {} } : {}), ...login } };
  }
  // TLS asks for a certificate by host name (SNI), and an IP address is not one.
  const tls = isIP(node!.host) === 0 ? { servername: node!.host } : {};
  return { options: { ...node, ...(isSecure ? { tls } : {}), ...login } };
}

/** Sentinels have users of their own, and most setups give them no password. */
function sentinelLogin(query = ''): Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword'> {
  const parameters = new URLSearchParams(query);
  const [username, password] = ['sentinelUsername', 'sentinelPassword'].map((name) =>
    parameters.get(name),
  );
  return {
    ...(username ? { sentinelUsername: username } : {}),
    ...(password ? { sentinelPassword: password } : {}),
  };
}

function parseNode(text: string, defaultPort: number): RedisNode {
  const { hostname, port } = new URL(`redis://${text}`);
  if (hostname === '') throw new Error('no host');
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? defaultPort : Number(port),
  };
}
