import { join } from 'node:path';
import type { Cluster, Redis } from 'ioredis';
import { camel, countKeys, readScript } from '../redis/scripts.ts';

/** The scripts by folder. The header of `<folder>/lua/<script>.lua` is its contract. */
const VERBS = {
  articles: [
    'change-groups',
    'close-article',
    'delete-article',
    'lock-article',
    'move-article',
    'place-articles',
    'post-articles',
    'remove-article',
    'rescore',
    'restore-article',
    'retitle-article',
    'set-listed',
    'set-mark',
  ],
  ballots: ['cast-votes', 'clear-reactions', 'erase-vote'],
  links: ['free-link', 'reindex-link', 'release-link', 'reserve-link'],
  lists: ['read-page'],
} as const;

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<B>}` : S;
type Room = keyof typeof VERBS;
type Verb = Camel<(typeof VERBS)[Room][number]>;

type Run<Reply> = (...keysAndArguments: (string | number)[]) => Promise<Reply>;

/** A reply is an array that begins with a status word. */
export type Reply = [status: string, ...rest: (string | number | null)[]];

export type Scripts = { [verb in Verb]: Run<Reply> };

/** A connection that knows the scripts. */
export type RankingRedis = (Redis | Cluster) & Scripts;

/** Defines the scripts on a connection; ioredis sends a digest, and the full text after NOSCRIPT. */
export function withScripts<R extends Redis | Cluster>(redis: R): R & Scripts {
  const scripts: string[] = [];
  for (const [room, verbs] of Object.entries(VERBS)) {
    for (const verb of verbs) {
      const lua = readScript(join(import.meta.dirname, room), verb);
      redis.defineCommand(camel(verb), { lua, numberOfKeys: countKeys(lua) });
      scripts.push(lua);
    }
  }
  onEachServer(redis, (server) => {
    for (const lua of scripts) void server.script('LOAD', lua).catch(() => {});
  });
  return redis as R & Scripts;
}

/**
 * Calls `greet` whenever a server connects. Scripts must be loaded then: an unknown script is sent a
 * second time, and a later action of the same member by a known script would overtake it.
 */
function onEachServer(redis: Redis | Cluster, greet: (server: Redis) => void): void {
  const follow = (server: Redis): void => {
    server.on('ready', () => greet(server));
    if (server.status === 'ready') greet(server);
  };
  if (!redis.isCluster) return follow(redis as Redis);
  const cluster = redis as Cluster;
  cluster.on('+node', follow);
  for (const node of cluster.nodes()) follow(node);
}
