import { guildKeys } from '../keys.ts';
import { FRONT_SIZE } from '../rules.ts';
import type { RankingRedis } from '../scripts.ts';
import { secondsOf, type Snowflake } from '../snowflake.ts';

/** Changes are told at most once per guild in so many milliseconds. */
const PERIOD_MS = 100;

/** Articles that one message tells of. */
const BATCH = 200;

/** No articles stand for more than can be named. */
type Listener = (guild: Snowflake, articles: readonly Snowflake[]) => void;

/**
 * Collects which articles this process changed and publishes their rows in batches, so that what
 * wants to know of a vote is not on its path. A message that is lost is made good by the readers:
 * they see the version skip, or read again after a minute.
 */
export class Changes {
  readonly #redis: RankingRedis;
  readonly #applicationId: Snowflake;
  readonly #changed = new Map<Snowflake, Set<Snowflake>>();
  /** Guilds whose changes are on their way to Redis, and the version of the last that arrived. */
  readonly #sending = new Map<Snowflake, number>();
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
   * So much changed that readers do better to read again: their version is made to skip, and the
   * front order is filled anew.
   */
  noteAll(guild: Snowflake): void {
    const { articles, front } = guildKeys(this.#applicationId, guild);
    void this.#redis.hincrby(articles, 'version', 1).catch(() => {});
    void this.#redis.unlink(front).catch(() => {});
    this.#of(guild);
  }

  /** Tells this process too of what it changed, in the same batches. Returns the function that ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A reader at this version knows everything that this process changed in the guild. */
  isKnownAt(guild: Snowflake, version: number): boolean {
    if (this.#changed.has(guild) || this.#sending.has(guild)) return false;
    return version >= (this.#told.get(guild) ?? 0);
  }

  /** Publishes what is collected, at once. Resolves when Redis has it, also where that failed. */
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
      // Whatever is kept may now be behind, until something is told again.
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
        keys.texts,
        FRONT_SIZE,
        ...articles.slice(i, i + BATCH).flatMap((article) => [article, secondsOf(article)]),
      );
      this.#told.set(guild, Number(version));
    }
  }
}
