import type { Redis } from 'ioredis';
import { changesChannel, guildKeys } from './keys.ts';
import type { Snowflake } from './snowflake.ts';

/** Changes of a guild are published at most once in this time. */
const PERIOD_MS = 100;

type Listener = (guild: Snowflake) => void;

/**
 * Collects the guilds whose articles this process changed and tells all processes in batches, so that a
 * vote does not wait for its readers. Readers recover from a lost message: they read again after the next
 * message, or after a minute.
 */
export class Changes {
  readonly #redis: Redis;
  readonly #applicationId: Snowflake;
  readonly #changed = new Set<Snowflake>();
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> = Promise.resolve();

  constructor(redis: Redis, applicationId: Snowflake) {
    this.#redis = redis;
    this.#applicationId = applicationId;
  }

  /** Articles of the guild were posted, voted on, moved, closed or removed. Its readers read again. */
  note(guild: Snowflake): void {
    this.#changed.add(guild);
    this.#timer ??= setTimeout(() => this.#publish(), PERIOD_MS);
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
    for (const guild of changed) {
      for (const listener of this.#listeners) listener(guild);
    }
    const sent = changed.map((guild) => this.#send(guild));
    // A failure loses the message, not the change; the connection reports its own errors.
    this.#publishing = Promise.allSettled([this.#publishing, ...sent]).then(() => undefined);
  }

  async #send(guild: Snowflake): Promise<void> {
    const { articles } = guildKeys(this.#applicationId, guild);
    const version = await this.#redis.hincrby(articles, 'version', 1);
    await this.#redis.publish(changesChannel(this.#applicationId), `${guild} ${version}`);
  }
}
