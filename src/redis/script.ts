import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cluster, Redis } from 'ioredis';

/** A Lua script. Call it with its keys, then its arguments. Its header is its contract. */
export type Script<Reply = unknown> = {
  (redis: Redis, ...keysAndArguments: (string | number)[]): Promise<Reply>;
  lua: string;
};

/**
 * The script `<room>/lua/<verb>.lua`. A connection learns it when it first runs it; ioredis sends it
 * by digest, and in full after NOSCRIPT.
 *
 * @param room the folder of a room, absolute
 */
export function openScript<Reply = unknown>(room: string, verb: string): Script<Reply> {
  const lua = expand(room, `${verb}.lua`);
  const name = verb.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const numberOfKeys = Math.max(
    ...Array.from(lua.matchAll(/KEYS\[(\d+)\]/g), (match) => Number(match[1])),
  );
  const run = (redis: Redis, ...args: (string | number)[]): Promise<Reply> => {
    if (!(name in redis)) redis.defineCommand(name, { lua, numberOfKeys });
    const command = Reflect.get(redis, name) as (...all: typeof args) => Promise<Reply>;
    return command.apply(redis, args);
  };
  return Object.assign(run, { lua });
}

/**
 * Loads scripts whenever a server connects. An unknown script would be sent a second time, and a later
 * action of the same member by a known script would overtake it.
 */
export function keepLoaded(redis: Redis, scripts: readonly Script[]): void {
  const follow = (server: Redis): void => {
    const load = (): void => {
      for (const { lua } of scripts) void server.script('LOAD', lua).catch(() => {});
    };
    server.on('ready', load);
    if (server.status === 'ready') load();
  };
  if (!redis.isCluster) return follow(redis);
  const cluster = redis as unknown as Cluster;
  cluster.on('+node', follow);
  for (const node of cluster.nodes()) follow(node);
}

/**
 * Reads a script with `-- include <name>` replaced by `<name>.include.lua`. An include lies beside the
 * script, or in the `lua` folder of a room around it.
 */
function expand(room: string, file: string): string {
  const path = join(room, 'lua', file);
  if (!existsSync(path)) {
    if (dirname(room) === room) throw new Error(`There is no script ${file}.`);
    return expand(dirname(room), file);
  }
  return readFileSync(path, 'utf8').replace(/^ *-- include (\S+)$/gm, (_, name: string) =>
    expand(room, `${name}.include.lua`).trimEnd(),
  );
}
