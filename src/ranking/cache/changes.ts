import { guildKeys } from '../keys.ts';
import { FRONT_SIZE } from '../rules.ts';
import type { RankingRedis } from '../scripts.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';

/** Changes of a guild are published at most once in this time. */
const PERIOD_MS = 100;

/** Articles in one message. */
const BATCH = 200;

/** An empty array means that any article may have changed. */
type Listener = (guild: Snowflake, articles: readonly Snowflake[]) => void;

/**
 * Collects the articles that this process changed and tells all processes in batches, so that a vote
 * does not wait for its readers. Readers recover from a lost message: they read again after the next
 * message, or after a minute.
 */
export class Changes {
  readonly #redis: RankingRedis;
  readonly #applicationId: Snowflake;
  readonly #changed = new Map<Snowflake, Set<Snowflake>>();
  /** Guilds with messages on their way to Redis, and the number of those messages. */
  readonly #sending = new Map<Snowflake, number>();
  /** The version of the last message that arrived. */
  readonly #told = new Map<Snowflake, number>();
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> = Promise.resolve();

  constructor(redis: RankingRedis, applicationId: Snowflake) {
    this.#redis = redis;
    this.#applicationId = applicationId;
  }

  /** An article was posted, voted on, moved, closed or removed. */
  note(guild: Snowflake, article: Snowflake): void {
    this.#of(guild).add(article);
  }

  #of(guild: Snowflake): Set<Snowflake> {
    const articles = this.#changed.get(guild) ?? new Set();
    this.#changed.set(guild, articles);
    this.#timer ??= setTimeout(() => this.#publish(), PERIOD_MS);
    return articles;
  }

  /**
   * Makes all readers of a guild read again, after a change to many articles, and deletes the front
   * order, so that it is filled again.
   */
  noteAll(guild: Snowflake): void {
    const { front } = guildKeys(this.#applicationId, guild);
    void this.#redis.unlink(front).catch(() => {});
    this.#of(guild);
  }

  /** Also reports this process's changes to `listener`, in the same batches. Returns a function to stop. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether this process made changes in the guild that are not yet published. */
  isPending(guild: Snowflake): boolean {
    return this.#changed.has(guild) || this.#sending.has(guild);
  }

  /** Whether a reader at this version has all changes that this process made in the guild. */
  isKnownAt(guild: Snowflake, version: number): boolean {
    return !this.isPending(guild) && version >= (this.#told.get(guild) ?? 0);
  }

  /** Publishes the collected changes now. Resolves when Redis has them, or when that failed. */
  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#publish();
    await this.#publishing;
  }

  #publish(): void {
    this.#timer = undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    const sent = changed.map(([guild, articles]) => this.#send(guild, [...articles]));
    for (const [guild, articles] of changed) {
      for (const listener of this.#listeners) listener(guild, [...articles]);
    }
    // A failure loses the message, not the change; the connection reports its own errors.
    this.#publishing = Promise.allSettled([this.#publishing, ...sent]).then(() => undefined);
  }

  async #send(guild: Snowflake, articles: Snowflake[]): Promise<void> {
    this.#sending.set(guild, (this.#sending.get(guild) ?? 0) + 1);
    try {
      await this.#sendBatches(guild, articles);
    } catch (error) {
      // Cached lists may be out of date now, until the next message arrives.
      this.#told.set(guild, Number.POSITIVE_INFINITY);
      throw error;
    } finally {
      const left = this.#sending.get(guild)! - 1;
      if (left > 0) this.#sending.set(guild, left);
      else this.#sending.delete(guild);
    }
  }

  async #sendBatches(guild: Snowflake, articles: Snowflake[]): Promise<void> {
    const keys = guildKeys(this.#applicationId, guild);
    for (let i = 0; i === 0 || i < articles.length; i += BATCH) {
      const [, version] = await this.#redis.publishChanges(
        keys.articles,
        keys.changes,
        keys.front,
        keys.filling,
        keys.loudness,
        FRONT_SIZE,
        ...articles.slice(i, i + BATCH).flatMap((article) => [article, secondsOf(article)]),
      );
      this.#told.set(guild, Number(version));
    }
  }
}
