import type { Snowflake } from '../snowflake.ts';

/** Sends items of one guild in one script; resolves with an outcome for each, in their order. */
type Send<Ranking, Item, Outcome> = (
  ranking: Ranking,
  guild: Snowflake,
  items: readonly Item[],
) => Promise<readonly Outcome[]>;

type Waiting = {
  item: unknown;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
};

type Gathered = { ranking: unknown; send: Send<never, never, unknown>; waiting: Waiting[] };

/**
 * No other client should wait long: Redis takes about a quarter of a millisecond for so many votes. And
 * Redis should work on one script while this process makes the next.
 */
const MOST = 32;

/**
 * The votes of a guild in one turn of the event loop go to Redis in one script, and so do its posts: a
 * burst of reactions comes from the gateway in one piece, and shares the cost of a script and of
 * bringing it to the disk.
 *
 * The order is kept: any other command on the connection sends the batch first (see `openRanking`).
 */
export class Batch {
  #batches = new Map<Snowflake, Gathered>();

  /** `send` must be the same function for what may go together. */
  add<Ranking, Item, Outcome>(
    ranking: Ranking,
    guild: Snowflake,
    send: Send<Ranking, Item, Outcome>,
    item: Item,
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject } as Waiting;
      const batch = this.#batches.get(guild);
      if (batch && batch.send === (send as unknown) && batch.waiting.length < MOST) {
        batch.waiting.push(waiting);
        return;
      }
      if (batch) this.send();
      // Behind all that is due in this turn.
      if (this.#batches.size === 0) process.nextTick(() => this.send());
      this.#batches.set(guild, { ranking, send, waiting: [waiting] });
    });
  }

  /** Sends all that waits, at once. */
  send(): void {
    if (this.#batches.size === 0) return;
    // Set aside first, since each script that is sent calls this again.
    const batches = this.#batches;
    this.#batches = new Map();
    for (const [guild, batch] of batches) this.#send(guild, batch);
  }

  #send(guild: Snowflake, { ranking, send, waiting }: Gathered): void {
    const items = waiting.map(({ item }) => item) as never[];
    send(ranking as never, guild, items).then(
      (outcomes) => {
        for (const [i, one] of waiting.entries()) one.resolve(outcomes[i]);
      },
      (error: unknown) => {
        for (const one of waiting) one.reject(error);
      },
    );
  }
}
