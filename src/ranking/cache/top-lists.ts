import type { Cluster, Redis } from 'ioredis';
import { guildKeys } from '../keys.ts';
import { type List, listArticles, type Order, type Page } from '../lists/ranked.ts';
import { readRanks } from '../lists/read-range.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** Articles in a cached list; deeper pages are read from Redis. */
const SIZE = 200;
/** A list of this age is always read again, since messages can be lost. */
const FRESH_MS = 60_000;
/** A list is dropped if it was not used for this long. */
const UNUSED_MS = 300_000;
const SWEEP_MS = 30_000;

type Ranked = Exclude<Order, 'interesting'>;

type Change = { id: Snowflake; article: Article | null };
type Message = { version: number; changes: Change[] };

type TopList = {
  order: Ranked;
  group: Snowflake | undefined;
  articles: Article[];
  /** Articles in the whole ranking. */
  total: number;
  /** The list holds the whole ranking, so no unknown article follows the last one. */
  whole: boolean;
  /** The version of the last applied message. */
  version: number;
  loadedAtMs: number;
  usedAtMs: number;
};

type Guild = {
  /** Redis has confirmed the subscription to this guild's messages. */
  heard: boolean;
  lists: Map<string, TopList | Promise<TopList>>;
  /** Messages since the start of the oldest running load; they are applied to its result. */
  replay: Message[];
  loads: number;
  /** Changes with every message; no two guilds share a stamp. */
  stamp: number;
};

/**
 * Caches the first 200 articles of each list in the process. A list is read on first use and updated
 * by the messages that every process publishes about its changes.
 *
 * A message holds whole rows and a version that rises by one. A repeated message changes nothing; a
 * list that misses a message is dropped and read again.
 * The total of a list with more than 200 articles is as old as the list, at most a minute.
 */
export class TopLists {
  readonly #ranking: Ranking;
  readonly #subscriber: Redis | Cluster;
  readonly #guilds = new Map<Snowflake, Guild>();
  readonly #following = new Map<string, { id: Snowflake; guild: Guild }>();
  readonly #sweep: NodeJS.Timeout;
  #stamps = 0;

  /** Opens its own connection, since a subscribed connection cannot send other commands. */
  constructor(ranking: Ranking) {
    this.#ranking = ranking;
    const subscriber = (ranking.redis as Redis).duplicate();
    this.#subscriber = subscriber;
    // The ranking's connection reports the same outage. Without a listener an error ends the process.
    subscriber.on('error', () => {});
    subscriber.on('messageBuffer', (channel: Buffer, message: Buffer) =>
      this.#hear(channel.toString(), message),
    );
    // Messages published while the connection is closed are lost.
    subscriber.on('close', () => this.#guilds.clear());
    this.#sweep = setInterval(() => this.#dropUnused(), SWEEP_MS).unref();
  }

  /** Like `listArticles`, but without a round trip for first pages. */
  async page(list: List): Promise<Page> {
    const { order, page, pageSize } = list;
    const end = page * pageSize;
    if (order === 'interesting' || page < 1 || pageSize < 1 || end > SIZE) {
      return listArticles(this.#ranking, list);
    }
    const guild = this.#follow(list.guild);
    // Without the guild's messages a cached list would become stale.
    if (!guild.heard) return listArticles(this.#ranking, list);
    const top = await this.#find(guild, list.guild, list.group, order);
    const isDeepEnough = top.whole || end <= top.articles.length;
    // A change made in this process must be visible at once, before its message comes back.
    const isFresh = this.#ranking.changes.isKnownAt(list.guild, top.version);
    if (!isDeepEnough || !isFresh) return listArticles(this.#ranking, list);
    return { articles: top.articles.slice(end - pageSize, end), total: top.total };
  }

  /**
   * A value that changes with every message about the guild's articles. While it is the same, results
   * made from the articles are still valid. Keep none longer than a minute, since a message can be lost.
   * Null while no messages are received: before the subscription, and during an outage of Redis.
   */
  stamp(guild: Snowflake): number | null {
    const { heard, stamp } = this.#follow(guild);
    return heard ? stamp : null;
  }

  stop(): void {
    clearInterval(this.#sweep);
    this.#guilds.clear();
    this.#subscriber.disconnect();
  }

  async #find(
    guild: Guild,
    id: Snowflake,
    group: Snowflake | undefined,
    order: Ranked,
  ): Promise<TopList> {
    const name = `${order}:${group ?? ''}`;
    const now = performance.now();
    const kept = guild.lists.get(name);
    if (kept && 'articles' in kept && now - kept.loadedAtMs < FRESH_MS) {
      kept.usedAtMs = now;
      return kept;
    }
    if (kept && !('articles' in kept)) return kept;
    const loading = this.#load(id, guild, group, order);
    guild.lists.set(name, loading);
    try {
      const top = await loading;
      if (guild.lists.get(name) === loading) guild.lists.set(name, top);
      return top;
    } catch (error) {
      if (guild.lists.get(name) === loading) guild.lists.delete(name);
      throw error;
    }
  }

  #follow(id: Snowflake): Guild {
    const known = this.#guilds.get(id);
    if (known) return known;
    const { changes } = guildKeys(this.#ranking.applicationId, id);
    const guild: Guild = {
      heard: false,
      lists: new Map(),
      replay: [],
      loads: 0,
      stamp: ++this.#stamps,
    };
    this.#following.set(changes, { id, guild });
    this.#guilds.set(id, guild);
    this.#subscriber.subscribe(changes).then(
      () => (guild.heard = true),
      () => this.#guilds.delete(id),
    );
    return guild;
  }

  async #load(
    id: Snowflake,
    guild: Guild,
    group: Snowflake | undefined,
    order: Ranked,
  ): Promise<TopList> {
    guild.loads++;
    try {
      const keys = guildKeys(this.#ranking.applicationId, id);
      const [by, direction] = order.split('-') as ['score' | 'time', 'desc' | 'asc'];
      const key = group ? keys[`${by}Of`](group) : keys[by];
      const ranks = await readRanks(this.#ranking, id, key, direction, 0, SIZE - 1);
      const now = performance.now();
      const top: TopList = {
        order,
        group,
        articles: ranks.articles,
        total: ranks.total,
        whole: ranks.total <= SIZE,
        version: ranks.version,
        loadedAtMs: now,
        usedAtMs: now,
      };
      // If a message is missing, mark the list as stale, so that the next caller reads it again.
      if (!guild.replay.every((message) => follow(top, message))) top.loadedAtMs = -FRESH_MS;
      return top;
    } finally {
      guild.loads--;
      if (guild.loads === 0) guild.replay = [];
    }
  }

  #hear(channel: string, message: Buffer): void {
    const followed = this.#following.get(channel);
    if (!followed) return;
    const { guild } = followed;
    const told = readMessage(message);
    guild.stamp = ++this.#stamps;
    if (guild.loads > 0) guild.replay.push(told);
    for (const [name, top] of guild.lists) {
      if ('articles' in top && !follow(top, told)) guild.lists.delete(name);
    }
  }

  #dropUnused(): void {
    const now = performance.now();
    for (const [channel, { id, guild }] of this.#following) {
      for (const [name, top] of guild.lists) {
        if ('articles' in top && now - top.usedAtMs > UNUSED_MS) guild.lists.delete(name);
      }
      if (guild.lists.size > 0) continue;
      this.#following.delete(channel);
      this.#guilds.delete(id);
      void this.#subscriber.unsubscribe(channel).catch(() => {});
    }
  }
}

/** Applies a message to a list. False if the list must be read again instead. */
function follow(top: TopList, { version, changes }: Message): boolean {
  if (version <= top.version) return true;
  if (version > top.version + 1) return false;
  top.version = version;
  const before = comparator(top.order);
  // Unknown articles may follow the last article of a list that is not whole.
  const horizon = top.whole ? undefined : top.articles.at(-1);
  for (const { id, article } of changes) {
    const at = top.articles.findIndex((known) => known.id === id);
    const stays = article !== null && belongs(article, top.group);
    if (at >= 0) top.articles.splice(at, 1);
    if (at >= 0 && !stays) top.total--;
    if (!stays) continue;
    if (horizon && before(horizon, article)) continue;
    const next = top.articles.findIndex((known) => before(article, known));
    top.articles.splice(next < 0 ? top.articles.length : next, 0, article);
  }
  if (top.whole) top.total = top.articles.length;
  if (top.articles.length > SIZE) {
    top.articles.length = SIZE;
    top.whole = false;
    return true;
  }
  return top.whole || top.articles.length >= SIZE / 2;
}

function belongs(article: Article, group: Snowflake | undefined): boolean {
  if (group === undefined) return article.listed;
  return article.home === group || (article.listed && article.groups.includes(group));
}

/** Whether one article comes before another; ties in the order of ids, as in Redis. */
function comparator(order: Ranked): (a: Article, b: Article) => boolean {
  const of = (article: Article) =>
    order.startsWith('score') ? article.score : Math.floor(article.postedAtMs / 1000);
  const isBefore = (a: Article, b: Article) => of(a) < of(b) || (of(a) === of(b) && a.id < b.id);
  return order.endsWith('asc') ? isBefore : (a, b) => isBefore(b, a);
}

function readMessage(message: Buffer): Message {
  let at = 0;
  const line = (): string => {
    const end = message.indexOf(10, at);
    const text = message.toString('latin1', at, end);
    at = end + 1;
    return text;
  };
  const version = Number(line());
  const mark = Number(line());
  const changes: Change[] = [];
  while (at < message.length) {
    const id = line();
    const [rowBytes, textBytes] = [Number(line()), Number(line())];
    const row = message.subarray(at, at + rowBytes);
    const text = message.subarray(at + rowBytes, at + rowBytes + textBytes);
    at += rowBytes + textBytes;
    changes.push({
      id,
      article: rowBytes === 0 ? null : decodeArticle(id, row.toString(), text.toString(), mark),
    });
  }
  return { version, changes };
}
