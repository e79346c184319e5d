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
 * Redis needs about a quarter of a millisecond for 32 votes, so no other client waits long, and it can
 * run one script while this process prepares the next.
 */
const MOST = 32;

/**
 * Sends the votes of a guild in one turn of the event loop as one script, and its posts likewise. A
 * burst of reactions arrives from the gateway at once, and so shares the cost of one script and one
 * disk write.
 *
 * Commands keep their order: any other command on the connection sends the batch first (see
 * `openRanking`).
 */
export class Batch {
  #batches = new Map<Snowflake, Gathered>();

  /** Only items with the same `send` function share a batch. */
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
      // After everything else in this turn.
      if (this.#batches.size === 0) process.nextTick(() => this.send());
      this.#batches.set(guild, { ranking, send, waiting: [waiting] });
    });
  }

  /** Sends all batches now. */
  send(): void {
    if (this.#batches.size === 0) return;
    // Replace the map first, since each script that is sent calls this method again.
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
