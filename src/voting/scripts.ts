import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';

/** One script a verb; its header in `lua/` is the contract. */
const VERBS = [
  'bury-article',
  'cast-vote',
  'cast-votes',
  'change-groups',
  'clear-reactions',
  'close-article',
  'count-vote',
  'discount-vote',
  'erase-vote',
  'fill-front',
  'free-link',
  'list-article',
  'list-page',
  'lock-article',
  'move-article',
  'post-article',
  'post-articles',
  'publish-changes',
  'read-tallies',
  'read-voters',
  'read-votes',
  'reindex-link',
  'release-link',
  'remove-article',
  'rescore',
  'reserve-link',
  'retitle-article',
  'set-mark',
  'set-vote',
  'take-back',
  'unbury-article',
] as const;

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<B>}` : S;
type Verb = Camel<(typeof VERBS)[number]>;

type Run<Reply> = (...keysAndArguments: (string | number)[]) => Promise<Reply>;

/** A reply is an array that begins with a status word; of what comes alone most often, less. */
export type Reply = [status: string, ...rest: (string | number | null)[]];

/** For one vote: the tally with it (see `cast-votes.lua`), or why it was not counted. */
export type CastReply = number | 'unchanged' | 'unknown' | 'closed' | 'locked' | 'poster';

export type Scripts = { [verb in Exclude<Verb, 'castVote' | 'postArticle'>]: Run<Reply> } & {
  castVote: Run<CastReply>;
  postArticle: Run<number | string>;
  listPageBuffer: Run<
    [status: Buffer, total: number, mark: number, version: Buffer, ...(Buffer | null)[]]
  >;
};

/** Votes, and the posts that they are on: their order among each other is the members'. */
const IN_ORDER: readonly Verb[] = [
  'postArticle',
  'postArticles',
  'castVote',
  'castVotes',
  'takeBack',
  'setVote',
  'clearReactions',
  'discountVote',
  'countVote',
];

/** Teaches a connection the scripts; ioredis sends them by digest and again in full after NOSCRIPT. */
export function withScripts<R extends Redis | Cluster>(redis: R): R & Scripts {
  const inOrder: string[] = [];
  for (const verb of VERBS) {
    const lua = readScript(verb);
    const name = camel(verb) as Verb;
    redis.defineCommand(name, { lua, numberOfKeys: countKeys(lua) });
    if (IN_ORDER.includes(name)) inOrder.push(lua);
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

/** A script's text, with `-- include <name>` replaced by `lua/<name>.include.lua`, there too. */
export function readScript(verb: (typeof VERBS)[number]): string {
  return expand(`${verb}.lua`);
}

function expand(file: string): string {
  return read(file).replace(/^ *-- include (\S+)$/gm, (_, name: string) =>
    expand(`${name}.include.lua`).trimEnd(),
  );
}

function read(file: string): string {
  return readFileSync(new URL(`lua/${file}`, import.meta.url), 'utf8');
}

function countKeys(lua: string): number {
  return Math.max(...Array.from(lua.matchAll(/KEYS\[(\d+)\]/g), (match) => Number(match[1])));
}

function camel(verb: string): string {
  return verb.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
