import { changesChannel, guildKeys, type RankingStore } from './keys.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** Changes of a guild are published at most once in this time. */
const PERIOD_MS = 100;

type Listener = (guild: Snowflake) => void;

/**
 * Collects the guilds whose articles this process changed and tells all processes in batches, so that a
 * vote does not wait for its readers. Readers recover from a lost message: they read again after the next
 * message, or after a minute.
 */
export class Changes {
  readonly #store: RankingStore;
  readonly #changed = new Set<Snowflake>();
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> = Promise.resolve();

  constructor(store: RankingStore) {
    this.#store = store;
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
    const { redis, applicationId } = this.#store;
    const { articles } = guildKeys(this.#store, guild);
    const version = await redis.hincrby(articles, 'version', 1);
    await redis.publish(changesChannel(applicationId), `${guild} ${version}`);
  }
}
