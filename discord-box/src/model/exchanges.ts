import { channel } from 'node:diagnostics_channel';

/** What a bot and a Discord in a box said to each other, as it was sent. */
export type Exchange =
  | {
      kind: 'request';
      method: string;
      /** The route's pattern, such as `/channels/:channel/messages`. */
      route: string;
      query: Record<string, string>;
      /** The fields that hold files, such as `files[0]`. */
      files: string[];
      body: unknown;
      status: number;
      /** undefined without a body. */
      response: unknown;
    }
  | { kind: 'event'; name: string; data: unknown };

/** Who listens to what is said between the bots and one world. */
export type Exchanges = {
  /**
   * Tells of every exchange from now on. Returns how to end it.
   * Faults that a test asked for are not seen: the response is the one that Discord would have given.
   */
  watch(listener: (exchange: Exchange) => void): () => void;
  isWatched(): boolean;
  tell(exchange: Exchange): void;
};

/** Node's channel on which every world says that it is there, for tools that watch all of them. */
export const OPENED = 'discord-in-a-box:exchanges';

/** Says on `OPENED` that it is there. */
export function openExchanges(): Exchanges {
  const listeners = new Set<(exchange: Exchange) => void>();
  const exchanges: Exchanges = {
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isWatched: () => listeners.size > 0,
    tell(exchange) {
      for (const listener of listeners) listener(exchange);
    },
  };
  channel(OPENED).publish(exchanges);
  return exchanges;
}

/** `text` is a gateway payload. */
export function tellEvent(exchanges: Exchanges, name: string, text: string): void {
  if (!exchanges.isWatched()) return;
  const { d: data } = JSON.parse(text) as { d: unknown };
  exchanges.tell({ kind: 'event', name, data });
}
