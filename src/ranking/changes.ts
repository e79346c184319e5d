import type { Cluster, Redis } from 'ioredis';
import { changesChannel, guildKeys } from './keys.ts';
import type { Snowflake } from './snowflake.ts';

/** Changes of a guild are published at most once in this time. */
const PERIOD_MS = 100;

/** Gets the noted articles. After `noteAll` others may have changed as well, and the array may be empty. */
type Listener = (guild: Snowflake, articles: readonly Snowflake[]) => void;

/**
 * Collects the articles that this process changed and tells all processes in batches, so that a vote
 * does not wait for its readers. Readers recover from a lost message: they read again after the next
 * message, or after a minute.
 */
export class Changes {
  readonly #redis: Redis | Cluster;
  readonly #applicationId: Snowflake;
  readonly #changed = new Map<Snowflake, Set<Snowflake>>();
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> = Promise.resolve();

  constructor(redis: Redis | Cluster, applicationId: Snowflake) {
    this.#redis = redis;
    this.#applicationId = applicationId;
  }

  /** An article was posted, voted on, moved, closed or removed. */
  note(guild: Snowflake, article: Snowflake): void {
    this.#of(guild).add(article);
  }

  /** Makes all readers of a guild read again, after a change to many articles. */
  noteAll(guild: Snowflake): void {
    this.#of(guild);
  }

  #of(guild: Snowflake): Set<Snowflake> {
    const articles = this.#changed.get(guild) ?? new Set();
    this.#changed.set(guild, articles);
    this.#timer ??= setTimeout(() => this.#publish(), PERIOD_MS);
    return articles;
  }

  /** Reports this process's changes to `listener`, in the same batches. Returns a function to stop. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether this process made changes in the guild that the listeners do not know yet. */
  isPending(guild: Snowflake): boolean {
    return this.#changed.has(guild);
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
    for (const [guild, articles] of changed) {
      for (const listener of this.#listeners) listener(guild, [...articles]);
    }
    const sent = changed.map(([guild]) => this.#send(guild));
    // A failure loses the message, not the change; the connection reports its own errors.
    this.#publishing = Promise.allSettled([this.#publishing, ...sent]).then(() => undefined);
  }

  async #send(guild: Snowflake): Promise<void> {
    const { articles } = guildKeys(this.#applicationId, guild);
    const version = await this.#redis.hincrby(articles, 'version', 1);
    await this.#redis.publish(changesChannel(this.#applicationId), `${guild} ${version}`);
  }
}
