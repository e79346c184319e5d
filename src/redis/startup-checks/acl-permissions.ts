import type { Redis } from 'ioredis';

/** Names of keys and of a channel as Frontpage has them, of a guild that does not exist. */
const key = 'frontpage:0:{0}:permissions';
const [text, hash, set, sorted] = [key, `${key}:hash`, `${key}:set`, `${key}:sorted`] as const;

/** Each command that scripts use or may use, with arguments that change nothing for long. */
const commands: readonly (readonly string[])[] = [
  ['SET', text, '1', 'PX', '1000'],
  ['SETNX', text, '1'],
  ['GET', text],
  ['EXISTS', text],
  ['EXPIRE', text, '10'],
  ['TTL', text],
  ['TYPE', text],
  ['RENAME', text, text],
  ['HSET', hash, 'a', '1'],
  ['HSETNX', hash, 'a', '1'],
  ['HINCRBY', hash, 'a', '1'],
  ['HGET', hash, 'a'],
  ['HMGET', hash, 'a'],
  ['HGETALL', hash],
  ['HEXISTS', hash, 'a'],
  ['HKEYS', hash],
  ['HLEN', hash],
  ['HSCAN', hash, '0'],
  ['HDEL', hash, 'a'],
  ['SADD', set, '1'],
  ['SCARD', set],
  ['SISMEMBER', set, '1'],
  ['SMISMEMBER', set, '1'],
  ['SMEMBERS', set],
  ['SSCAN', set, '0'],
  ['SREM', set, '1'],
  ['ZADD', sorted, '1', 'a'],
  ['ZCARD', sorted],
  ['ZCOUNT', sorted, '0', '1'],
  ['ZREVRANK', sorted, 'a'],
  ['ZRANGE', sorted, '0', '0'],
  ['ZREVRANGE', sorted, '0', '0'],
  ['ZRANGEBYSCORE', sorted, '0', '1'],
  ['ZSCAN', sorted, '0'],
  ['ZREM', sorted, 'a'],
  ['ZREMRANGEBYRANK', sorted, '0', '0'],
  ['PUBLISH', key, ''],
  ['UNLINK', text, hash, set, sorted],
  ['DEL', text, hash, set, sorted],
];

/** Tries each command. Only its permission counts; its answer is ignored. */
const script = `
local denied = {}
for _, command in ipairs(ARGV) do
  local reply = redis.pcall(unpack(cjson.decode(command)))
  local fault = type(reply) == 'table' and reply.err or ''
  if fault:find('NOPERM') or fault:find('ACL failure') or fault:find('user executing the script') then
    denied[#denied + 1] = cjson.decode(command)[1]
  end
end
return denied`;

/** The commands that a connection sends itself. The listener is a connection of its own. */
const outsideScripts: Record<string, (redis: Redis, listener: Redis) => Promise<unknown>> = {
  evalsha: (redis) => redis.evalsha('0'.repeat(40), 0),
  script: (redis) => redis.script('EXISTS', '0'.repeat(40)),
  scan: (redis) => redis.scan('0', 'COUNT', 1),
  multi: (_, listener) => listener.call('MULTI'),
  exec: (_, listener) => listener.call('EXEC'),
  subscribe: (_, listener) => listener.subscribe(key),
};

/** The names of all commands that are tried, for the test that holds the list complete. */
export const checkedCommands: readonly string[] = [
  ...commands.map(([name = '']) => name.toLowerCase()),
  'eval',
  ...Object.keys(outsideScripts),
];

/** The missing permissions of the Redis user, as ACL SETUSER takes them: `+zadd`, `~frontpage:*`. */
export async function findMissingPermissions(redis: Redis): Promise<string[]> {
  const missing: string[] = [];
  /** Whether the command is permitted, whatever else is wrong with it. */
  async function isPermitted(command: Promise<unknown>): Promise<boolean> {
    const message = await command.then(
      () => '',
      (error: Error) => error.message,
    );
    if (/^NOPERM.*\bkeys?\b/.test(message)) missing.push('~frontpage:*');
    else if (/^NOPERM.*\bchannels?\b/.test(message)) missing.push('&frontpage:*');
    // EXEC is refused with EXECABORT, and NOPERM follows.
    return !/^(EXECABORT.*)?NOPERM\b/.test(message);
  }
  const given = commands.map((command) => JSON.stringify(command));
  const tried = redis.eval(script, 4, text, hash, set, sorted, ...given) as Promise<string[]>;
  if (!(await isPermitted(tried))) missing.push('+eval');
  else missing.push(...(await tried).map((name) => `+${name.toLowerCase()}`));
  const listener = redis.duplicate();
  listener.on('error', () => {}); // The command fails with it.
  const names = Object.keys(outsideScripts);
  // All at once: a failure that nobody awaits yet would count as a fault of the process.
  const permitted = await Promise.all(
    Object.values(outsideScripts).map((send) => isPermitted(send(redis, listener))),
  );
  for (const [i, name] of names.entries()) if (!permitted[i]) missing.push(`+${name}`);
  listener.disconnect();
  return [...new Set(missing)];
}
