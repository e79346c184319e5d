import type { Redis } from 'ioredis';

/** The name of a key and of a channel as Frontpage has them, of a guild that does not exist. */
const key = 'frontpage:0:{0}:permissions';

/**
 * Each command that scripts use or may use, by how many arguments it is tried with: Redis refuses a
 * command with too few or too many before it looks at permissions. `del` is the last.
 */
const commands: [many: number, names: string][] = [
  [1, 'get exists ttl type hgetall hlen scard smembers zcard unlink'],
  [
    2,
    'set setnx expire rename publish hget hmget hexists hscan hdel sadd sismember smismember sscan srem zrevrank zscan zrem',
  ],
  [3, 'hset hsetnx hincrby zadd zcount zrange zrevrange zrangebyscore zremrangebyrank'],
  [1, 'del'],
];

/**
 * Tries each command. Only its permission counts; its answer is ignored. Most fail, because the key is
 * no number, or has another type.
 */
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
  ...commands.flatMap(([, names]) => names.split(' ')),
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
  const given = commands.flatMap(([many, names]) =>
    names.split(' ').map((name) => JSON.stringify([name, ...Array<string>(many).fill(key)])),
  );
  const tried = redis.eval(script, 1, key, ...given) as Promise<string[]>;
  if (!(await isPermitted(tried))) missing.push('+eval');
  else missing.push(...(await tried).map((name) => `+${name}`));
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
