import { randomUUID } from 'node:crypto';
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
  /** When the first row is due that this process planned in a guild (ms). */
  readonly #plannedMs = new Map<Snowflake, number>();
  /** Stands in what this process tells of rows, which it need not be told itself. */
  readonly #sender = randomUUID();
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

  /** Rows of the guild are due then (ms). The other processes are told, in the same batches. */
  notePlanned(guild: Snowflake, atMs: number): void {
    this.#plannedMs.set(guild, Math.min(this.#plannedMs.get(guild) ?? atMs, atMs));
    this.#timer ??= setTimeout(() => this.#publish(), PERIOD_MS);
  }

  /** What another process told: a guild's new version, or when a row is due. Null: this process told it. */
  read(message: string): { guild: Snowflake; version?: number; dueMs?: number } | null {
    const [guild = '', word, atMs, sender] = message.split(' ');
    if (word !== 'due') return { guild, version: Number(word) };
    return sender === this.#sender ? null : { guild, dueMs: Number(atMs) };
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
    const planned = [...this.#plannedMs];
    this.#plannedMs.clear();
    const sent = [
      ...changed.map((guild) => this.#send(guild)),
      ...planned.map(([guild, atMs]) => this.#tell(`${guild} due ${atMs} ${this.#sender}`)),
    ];
    // A failure loses the message, not the change; the connection reports its own errors.
    this.#publishing = Promise.allSettled([this.#publishing, ...sent]).then(() => undefined);
  }

  async #send(guild: Snowflake): Promise<void> {
    const { articles } = guildKeys(this.#store, guild);
    const version = await this.#store.redis.hincrby(articles, 'version', 1);
    await this.#tell(`${guild} ${version}`);
  }

  async #tell(message: string): Promise<void> {
    const { redis, applicationId } = this.#store;
    await redis.publish(changesChannel(applicationId), message);
  }
}
