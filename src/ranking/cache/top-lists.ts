import type { Cluster, Redis } from 'ioredis';
import { guildKeys } from '../keys.ts';
import { type List, listArticles, type Order, type Page } from '../lists/ranked.ts';
import { type Ranks, readRanks } from '../lists/read-range.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/** Articles in a cached list; deeper pages are read from Redis. */
const SIZE = 200;
/** A list of this age is always read again, since messages can be lost. */
const FRESH_MS = 60_000;
/** The lists of a guild are dropped if none was used for this long. */
const UNUSED_MS = 300_000;
const SWEEP_MS = 30_000;

type Ranked = Exclude<Order, 'interesting'>;

type TopList = Ranks & { loadedAtMs: number };

type Guild = {
  id: Snowflake;
  /** Redis has confirmed the subscription to this guild's messages. */
  heard: boolean;
  /** By order and group. A promise is a list that is being read; all callers wait for the same read. */
  lists: Map<string, TopList | Promise<TopList>>;
  usedAtMs: number;
  /** Changes with every message; no two guilds share a stamp. */
  stamp: number;
};

/**
 * Caches the first 200 articles of each list in the process. A list is read on first use.
 *
 * Every process publishes the guild's version after its changes. A message drops the guild's lists,
 * those that are being read as well, so the next call reads again. A repeated message changes nothing;
 * a lost one is made good by the next message, or after a minute.
 */
export class TopLists {
  readonly #ranking: Ranking;
  readonly #subscriber: Redis | Cluster;
  /** By the channel of their messages. */
  readonly #guilds = new Map<string, Guild>();
  readonly #sweep: NodeJS.Timeout;
  #stamps = 0;

  /** Opens its own connection, since a subscribed connection cannot send other commands. */
  constructor(ranking: Ranking) {
    this.#ranking = ranking;
    const subscriber = (ranking.redis as Redis).duplicate();
    this.#subscriber = subscriber;
    // The ranking's connection reports the same outage. Without a listener an error ends the process.
    subscriber.on('error', () => {});
    subscriber.on('message', (channel: string) => this.#hear(channel));
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
    const { changes } = this.#ranking;
    // Without the guild's messages a cached list would become stale.
    if (!guild.heard || changes.isPending(list.guild)) return listArticles(this.#ranking, list);
    const top = await this.#find(guild, order, list.group);
    // A change made in this process must be visible at once, before its message comes back.
    if (!changes.isKnownAt(list.guild, top.version)) return listArticles(this.#ranking, list);
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

  #find(guild: Guild, order: Ranked, group: Snowflake | undefined): TopList | Promise<TopList> {
    const name = `${order}:${group ?? ''}`;
    const kept = guild.lists.get(name);
    const isReading = kept && !('articles' in kept);
    if (kept && (isReading || performance.now() - kept.loadedAtMs < FRESH_MS)) return kept;
    const loading = this.#load(guild.id, order, group);
    guild.lists.set(name, loading);
    const finish = (top?: TopList) => {
      // A message may have dropped it in the meantime.
      if (guild.lists.get(name) !== loading) return;
      if (top) guild.lists.set(name, top);
      else guild.lists.delete(name);
    };
    loading.then(finish, () => finish());
    return loading;
  }

  async #load(guild: Snowflake, order: Ranked, group: Snowflake | undefined): Promise<TopList> {
    const keys = guildKeys(this.#ranking.applicationId, guild);
    const [by, direction] = order.split('-') as ['score' | 'time', 'desc' | 'asc'];
    const key = group ? keys[`${by}Of`](group) : keys[by];
    const ranks = await readRanks(this.#ranking, guild, key, direction, 0, SIZE - 1);
    return { ...ranks, loadedAtMs: performance.now() };
  }

  #follow(id: Snowflake): Guild {
    const { changes } = guildKeys(this.#ranking.applicationId, id);
    const known = this.#guilds.get(changes);
    if (known) {
      known.usedAtMs = performance.now();
      return known;
    }
    const guild: Guild = {
      id,
      heard: false,
      lists: new Map(),
      usedAtMs: performance.now(),
      stamp: ++this.#stamps,
    };
    this.#guilds.set(changes, guild);
    this.#subscriber.subscribe(changes).then(
      () => (guild.heard = true),
      () => this.#guilds.delete(changes),
    );
    return guild;
  }

  #hear(channel: string): void {
    const guild = this.#guilds.get(channel);
    if (!guild) return;
    guild.stamp = ++this.#stamps;
    guild.lists.clear();
  }

  #dropUnused(): void {
    const now = performance.now();
    for (const [channel, { usedAtMs }] of this.#guilds) {
      if (now - usedAtMs <= UNUSED_MS) continue;
      this.#guilds.delete(channel);
      void this.#subscriber.unsubscribe(channel).catch(() => {});
    }
  }
}
