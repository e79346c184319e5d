import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cluster, Redis } from 'ioredis';

/** Runs a script: its keys come first, then its arguments. The reply is to be parsed. */
type Script = (
  redis: Redis | Cluster,
  ...keysAndArguments: readonly (string | number)[]
) => Promise<unknown>;

/**
 * The script `<room>/lua/<verb>.lua`. A connection learns it when it first runs it; ioredis sends it
 * by digest, and in full after NOSCRIPT.
 *
 * @param room the folder of a room, absolute
 */
export function openScript(room: string, verb: string): Script {
  const lua = readScript(room, verb);
  const name = camel(verb);
  const numberOfKeys = countKeys(lua);
  return (redis, ...keysAndArguments) => {
    if (!(name in redis)) redis.defineCommand(name, { lua, numberOfKeys });
    const run = Reflect.get(redis, name) as (...given: unknown[]) => Promise<unknown>;
    return run.apply(redis, [...keysAndArguments]);
  };
}

/**
 * Reads `<room>/lua/<verb>.lua` with `-- include <name>` replaced by `<name>.include.lua`, there too.
 * An include lies beside the script, or in the `lua` folder of a room around it.
 *
 * @param room the folder of a room, absolute
 */
export function readScript(room: string, verb: string): string {
  return expand(room, `${verb}.lua`);
}

/** How many keys a script takes. */
export function countKeys(lua: string): number {
  return Math.max(...Array.from(lua.matchAll(/KEYS\[(\d+)\]/g), (match) => Number(match[1])));
}

/** The name in TypeScript of a script: `cast-votes` is `castVotes`. */
export function camel(verb: string): string {
  return verb.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

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
