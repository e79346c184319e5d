import type { Snowflake } from './snowflake.ts';

/** Runs one script for items of one guild; resolves with an outcome for each, in their order. */
type RunScript<Ranking, Item, Outcome> = (
  ranking: Ranking,
  guild: Snowflake,
  items: readonly Item[],
) => Promise<readonly Outcome[]>;

type Waiting = {
  item: unknown;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
};

/** The items of one guild that the next script takes. */
type OpenBatch = {
  ranking: unknown;
  runScript: RunScript<never, never, unknown>;
  waiting: Waiting[];
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
 * Commands keep their order: any other command on the connection sends the batch first (see
 * `openRanking`).
 */
export class Batch {
  #batches = new Map<Snowflake, OpenBatch>();

  /** Only items with the same `runScript` share a batch. */
  add<Ranking, Item, Outcome>(
    ranking: Ranking,
    guild: Snowflake,
    runScript: RunScript<Ranking, Item, Outcome>,
    item: Item,
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject } as Waiting;
      const batch = this.#batches.get(guild);
      if (batch && batch.runScript === (runScript as unknown) && batch.waiting.length < MOST) {
        batch.waiting.push(waiting);
        return;
      }
      if (batch) this.sendAll();
      // After everything else in this turn.
      if (this.#batches.size === 0) process.nextTick(() => this.sendAll());
      this.#batches.set(guild, { ranking, runScript, waiting: [waiting] });
    });
  }

  /** Sends all batches now. */
  sendAll(): void {
    if (this.#batches.size === 0) return;
    // Replace the map first, since each script that is sent calls this method again.
    const batches = this.#batches;
    this.#batches = new Map();
    for (const [guild, batch] of batches) sendBatch(guild, batch);
  }
}

function sendBatch(guild: Snowflake, { ranking, runScript, waiting }: OpenBatch): void {
  const items = waiting.map(({ item }) => item) as never[];
  runScript(ranking as never, guild, items).then(
    (outcomes) => {
      for (const [i, one] of waiting.entries()) one.resolve(outcomes[i]);
    },
    (error: unknown) => {
      for (const one of waiting) one.reject(error);
    },
  );
}
