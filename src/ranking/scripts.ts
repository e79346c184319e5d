import { join } from 'node:path';
import type { Cluster, Redis } from 'ioredis';
import { camel, countKeys, readScript } from '../redis/scripts.ts';

/** One script a verb, by room; its header in `<room>/lua/` is the contract. */
const VERBS = {
  articles: [
    'change-groups',
    'close-article',
    'delete-article',
    'lock-article',
    'move-article',
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
  lists: ['fill-front', 'publish-changes', 'read-page', 'read-tallies'],
} as const;

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<B>}` : S;
type Room = keyof typeof VERBS;
type Verb = Camel<(typeof VERBS)[Room][number]>;

type Run<Reply> = (...keysAndArguments: (string | number)[]) => Promise<Reply>;

/** A reply is an array that begins with a status word. */
export type Reply = [status: string, ...rest: (string | number | null)[]];

/** `castVotes` answers with a reply for each vote. */
export type Scripts = { [verb in Exclude<Verb, 'castVotes'>]: Run<Reply> } & {
  castVotes: Run<[status: string, ...replies: Reply[]]>;
};

/** A connection that knows the scripts. */
export type RankingRedis = (Redis | Cluster) & Scripts;

/** Votes, and the posts that they are on: their order among each other is the members'. */
const IN_ORDER: readonly Verb[] = ['postArticles', 'castVotes', 'clearReactions'];

/** Teaches a connection the scripts; ioredis sends them by digest and again in full after NOSCRIPT. */
export function withScripts<R extends Redis | Cluster>(redis: R): R & Scripts {
  const inOrder: string[] = [];
  for (const [room, verbs] of Object.entries(VERBS)) {
    for (const verb of verbs) {
      const lua = readScript(join(import.meta.dirname, room), verb);
      const name = camel(verb) as Verb;
      redis.defineCommand(name, { lua, numberOfKeys: countKeys(lua) });
      if (IN_ORDER.includes(name)) inOrder.push(lua);
    }
  }
  onEachServer(redis, (server) => {
    for (const lua of inOrder) void server.script('LOAD', lua).catch(() => {});
  });
  return redis as R & Scripts;
}

/**
 * Whenever a server is connected. A script that it does not know is sent a second time, and what the
 * same member does meanwhile, by a script that it knows, would overtake the first.
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
