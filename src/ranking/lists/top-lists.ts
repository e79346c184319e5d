import type { Redis } from 'ioredis';
import { changesChannel } from '../keys.ts';
import type { Clock } from '../../runtime/clock.ts';
import { listArticles, type Of, onlyStanding, type Page } from './ranked.ts';
import { isRanked, type RankedOrder } from './orders.ts';
import { type List, orderIn, readList } from './read-list.ts';
import { notePlaces } from '../outcomes.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** Articles in a cached list; deeper pages are read from Redis. */
const SIZE = 200;
/** A list is dropped at this age, since messages can be lost. */
const FRESH_MS = 60_000;

/** A list that is being read has no version yet. All callers wait for the same read. */
type TopList = { first: ReturnType<typeof listArticles>; version?: number };

/** Lists that are read, and when they change. */
export type ReadLists = Pick<TopLists, 'page' | 'stamp'>;

/**
 * Caches the first 200 articles of each list in the process. A list is read on first use.
 *
 * Every process publishes a guild's version after its changes. A message drops the lists of another
 * version and those that are being read, so the next call reads again. A repeated message changes
 * nothing; a lost one is made good by the next message, or after a minute.
 */
export class TopLists {
  readonly #ranking: Ranking;
  readonly #clock: Clock;
  readonly #subscriber: Redis;
  readonly #unlisten: () => void;
  /** By guild, then by order and group. */
  readonly #guilds = new Map<Snowflake, Map<string, TopList>>();
  /** By guild; absent: no message came since the subscription. */
  readonly #stamps = new Map<Snowflake, number>();
  #lastStamp = 0;
  /** The stamp of guilds without one; null while no messages are received. */
  #subscribed: number | null = null;
  #subscribing = false;
  #planned: ((guild: Snowflake | null, atMs: number) => void) | undefined;

  /** Opens its own connection, since a subscribed connection cannot send other commands. */
  constructor(ranking: Ranking, clock: Clock) {
    this.#ranking = ranking;
    this.#clock = clock;
    const subscriber = ranking.redis.duplicate();
    this.#subscriber = subscriber;
    // The ranking's connection reports the same outage. Without a listener an error ends the process.
    subscriber.on('error', () => {});
    subscriber.on('message', (_, message: string) => {
      const told = ranking.changes.read(message);
      if (told?.dueMs !== undefined) this.#planned?.(told.guild, told.dueMs);
      if (told?.version === undefined) return;
      this.#drop(told.guild, told.version);
      this.#stamps.set(told.guild, ++this.#lastStamp);
    });
    subscriber.on('ready', () => {
      if (this.#planned) this.#subscribe();
    });
    // Messages published while the connection is closed are lost.
    subscriber.on('close', () => {
      this.#subscribed = null;
      this.#guilds.clear();
      this.#stamps.clear();
    });
    // A change made in this process must be visible at once, before its message comes back.
    this.#unlisten = ranking.changes.listen((guild) => this.#drop(guild));
  }

  /** Like `readList`, but without a round trip for first pages. */
  async page(list: List): Promise<Page> {
    const { guild, accept, page, pageSize } = list;
    const order = orderIn(list);
    const end = page * pageSize;
    const isFirst = !accept && end <= SIZE;
    // Without messages a cached list would become stale.
    const isHeard = this.stamp(guild) !== null && !this.#ranking.changes.isPending(guild);
    if (!isRanked(order) || !isFirst || !isHeard) {
      const read = await readList(this.#ranking, list, this.#clock.now());
      if (isFirst && page === 1) this.#seen({ ...list, order }, read);
      return read;
    }
    const { articles, total } = await this.#read({ ...list, order });
    return {
      articles: onlyStanding(this.#ranking, list, articles.slice(end - pageSize, end)),
      total,
    };
  }

  /**
   * The same lists by another rule of what may stand in them. `differs`: whether it is another one in a guild,
   * where the lists are then gone through, so that pages and totals hold what the rule lets stand.
   */
  by(isListed: Ranking['isListed'], differs: (guild: Snowflake) => boolean): ReadLists {
    const ranking = { ...this.#ranking, isListed };
    return {
      page: (list) => {
        if (!differs(list.guild)) return this.page(list);
        return readList(ranking, { accept: (all) => [...all], ...list }, this.#clock.now());
      },
      stamp: (guild) => this.stamp(guild),
    };
  }

  /**
   * A value that changes with every message about the guild's articles. While it is the same, results
   * made from the articles are still valid. Keep none longer than a minute, since a message can be lost.
   * Null while no messages are received: before the subscription, and during an outage of Redis.
   */
  stamp(guild: Snowflake): number | null {
    if (this.#subscribed === null) {
      this.#subscribe();
      return null;
    }
    return this.#stamps.get(guild) ?? this.#subscribed;
  }

  /**
   * Tells when other processes planned rows of a guild (ms). Null: messages may have been lost, so it can be any
   * guild.
   */
  onPlanned(listener: (guild: Snowflake | null, atMs: number) => void): void {
    this.#planned = listener;
    this.#subscribe();
  }

  stop(): void {
    this.#unlisten();
    this.#guilds.clear();
    this.#subscriber.disconnect();
  }

  #subscribe(): void {
    if (this.#subscribing) return;
    this.#subscribing = true;
    this.#subscriber
      .subscribe(changesChannel(this.#ranking.applicationId))
      .then(
        () => {
          this.#subscribed = ++this.#lastStamp;
          this.#planned?.(null, 0);
        },
        () => {},
      )
      .finally(() => (this.#subscribing = false));
  }

  #read(wanted: Of & { order: RankedOrder }): Promise<Page> {
    const { guild, group, order } = wanted;
    const lists = this.#guilds.get(guild) ?? new Map<string, TopList>();
    this.#guilds.set(guild, lists);
    const name = `${order}:${group ?? ''}`;
    const known = lists.get(name);
    if (known) return known.first;
    const first = listArticles(this.#ranking, { ...wanted, page: 1, pageSize: SIZE });
    const list: TopList = { first };
    lists.set(name, list);
    first.then((read) => this.#seen(wanted, read)).catch(() => {});
    const forget = () => {
      if (lists.get(name) === list) lists.delete(name);
    };
    first.then(({ version }) => {
      list.version = version;
      setTimeout(forget, FRESH_MS).unref();
    }, forget);
    return first;
  }

  /** Nobody waits for it, and what is not noted now is noted when the list is read again. */
  #seen({ guild, group, order }: Of & { order: List['order'] }, { articles }: Page): void {
    if (order !== 'score' || (group ?? null) !== null) return;
    notePlaces(this.#ranking, guild, articles, this.#clock.now()).catch(() => {});
  }

  /** Drops the guild's lists except those of this version. */
  #drop(guild: Snowflake, version = -1): void {
    const lists = this.#guilds.get(guild);
    for (const [name, list] of lists ?? []) {
      if (list.version !== version) lists!.delete(name);
    }
  }
}
