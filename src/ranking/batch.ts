import type { Script } from '../redis/script.ts';
import { guildKeys, type RankingStore } from './keys.ts';
import type { Reply } from './scripts.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** A script on a guild's keys that takes the arguments of several items, and replies to each. */
type BatchScript = Script<Reply<string>>;
type Args = readonly (string | number)[];

type Waiting = {
  args: Args;
  resolve(reply: string): void;
  reject(error: unknown): void;
};

/**
 * Redis needs about a quarter of a millisecond for 32 votes, so no other client waits long, and it can
 * run one script while this process prepares the next.
 */
const MOST = 32;

/**
 * Sends the votes of a guild in one turn of the event loop as one script, and its posts likewise. A
 * burst of reactions arrives from the gateway at once, and so shares the cost of one script and one
 * disk write.
 *
 * Commands keep their order: any other command on the connection sends the batch first.
 */
export class Batch {
  readonly #store: RankingStore;
  /** What the next script of each guild takes. */
  #batches = new Map<Snowflake, { script: BatchScript; waiting: Waiting[] }>();

  constructor(store: RankingStore) {
    this.#store = store;
    const { redis } = store;
    const sendCommand = redis.sendCommand.bind(redis) as (...args: unknown[]) => unknown;
    redis.sendCommand = (...args: unknown[]) => {
      this.sendAll();
      return sendCommand(...args);
    };
  }

  /** `args`: the arguments of one item. Resolves with the reply to it. */
  add(guild: Snowflake, script: BatchScript, args: Args): Promise<string> {
    return new Promise((resolve, reject) => {
      const item = { args, resolve, reject };
      const batch = this.#batches.get(guild);
      if (batch?.script === script && batch.waiting.length < MOST) {
        batch.waiting.push(item);
        return;
      }
      if (batch) this.sendAll();
      // After everything else in this turn.
      if (this.#batches.size === 0) process.nextTick(() => this.sendAll());
      this.#batches.set(guild, { script, waiting: [item] });
    });
  }

  /** Sends all batches now. */
  sendAll(): void {
    if (this.#batches.size === 0) return;
    // Replace the map first, since each script that is sent calls this method again.
    const batches = this.#batches;
    this.#batches = new Map();
    for (const [guild, { script, waiting }] of batches) {
      const { ofScripts } = guildKeys(this.#store, guild);
      const args = waiting.flatMap((item) => item.args);
      script(this.#store.redis, ...ofScripts, ...args).then(
        ([, ...replies]) => {
          for (const [i, one] of waiting.entries()) one.resolve(String(replies[i]));
        },
        (error: unknown) => {
          for (const one of waiting) one.reject(error);
        },
      );
    }
  }
}
