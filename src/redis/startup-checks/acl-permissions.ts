import type { Redis } from 'ioredis';

/** The name of a key and of a channel as Frontpage has them, of a guild that does not exist. */
const key = 'frontpage:0:{0}:permissions';

/**
 * Each command that Frontpage sends, itself or in scripts, by how many arguments it is tried with: Redis
 * refuses a command with too few or too many before it looks at permissions. Only the permission counts.
 * Most fail, because the key is no number, or has another type. `del` is the last.
 */
const commands: [many: number, names: string][] = [
  [1, 'get exists ttl type hgetall hkeys hlen scard smembers zcard unlink'],
  [
    2,
    'set setnx expire rename publish hget hmget hexists hscan hdel sadd sismember smismember sscan srem zmscore zrevrank zscan zscore zrem',
  ],
  [
    3,
    'hset hsetnx hincrby zadd zcount zrange zrevrange zrangebyscore zrevrangebyscore zremrangebyrank',
  ],
  [1, 'del'],
];

/** Those that are tried in another way. The listener is a connection of its own. */
const others: Record<string, (redis: Redis, listener: Redis) => Promise<unknown>> = {
  eval: (redis) => redis.eval("return redis.call('EXISTS', KEYS[1])", 1, key),
  evalsha: (redis) => redis.evalsha('0'.repeat(40), 0),
  script: (redis) => redis.script('EXISTS', '0'.repeat(40)),
  scan: (redis) => redis.scan('0', 'COUNT', 1),
  multi: (_, listener) => listener.call('MULTI'),
  exec: (_, listener) => listener.call('EXEC'),
  subscribe: (_, listener) => listener.subscribe(key),
};

/** The names of all commands that are tried, for the test that holds the list complete. */
export const checkedCommands: readonly string[] = [
  ...commands.flatMap(([, names]) => names.split(' ')),
  ...Object.keys(others),
];

/** The missing permissions of the Redis user, as ACL SETUSER takes them: `+zadd`, `~frontpage:*`. */
export async function findMissingPermissions(redis: Redis): Promise<string[]> {
  const listener = redis.duplicate();
  listener.on('error', () => {}); // The command fails with it.
  const tried = [
    ...commands.flatMap(([many, names]) =>
      names.split(' ').map((name) => missingFor(name, redis.call(name, Array(many).fill(key)))),
    ),
    ...Object.entries(others).map(([name, send]) => missingFor(name, send(redis, listener))),
  ];
  const missing = await Promise.all(tried);
  listener.disconnect();
  return [...new Set(missing.flat())];
}

/** What a command lacks; nothing if it is permitted, whatever else is wrong with it. */
async function missingFor(name: string, command: Promise<unknown>): Promise<string[]> {
  const message = await command.then(
    () => '',
    (error: Error) => error.message,
  );
  // EXEC is refused with EXECABORT, and NOPERM follows.
  if (!/^(EXECABORT.*)?NOPERM\b/.test(message)) return [];
  if (/\bkeys?\b/.test(message)) return ['~frontpage:*'];
  return [/\bchannels?\b/.test(message) ? '&frontpage:*' : `+${name}`];
}
