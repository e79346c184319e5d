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

type Batch = { ranking: unknown; send: Send<never, never, unknown>; waiting: Waiting[] };

/**
 * So that no other client waits long: so many votes take Redis a quarter of a millisecond, so many
 * posts twice that. And so that Redis works on the first of many while this process makes up the next
 * (bench/README.md).
 */
const MOST = 32;

/**
 * What happens to a guild within one turn of the event loop goes to Redis in one script: a burst of
 * reactions comes from the gateway in one piece, and a script's own cost and that of bringing it to
 * the disk are then shared. Nothing waits for anything that has not happened yet.
 *
 * The order is kept: another script for the same guild, like any other command on the connection,
 * sends first what was gathered (see `openRanking`).
 */
export class VoteBatch {
  #batches = new Map<Snowflake, Batch>();

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

  /** Sends what was gathered, at once. */
  send(): void {
    if (this.#batches.size === 0) return;
    // Set aside first: sending a batch asks for what was gathered, once more.
    const batches = this.#batches;
    this.#batches = new Map();
    for (const [guild, batch] of batches) this.#send(guild, batch);
  }

  #send(guild: Snowflake, { ranking, send, waiting }: Batch): void {
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
