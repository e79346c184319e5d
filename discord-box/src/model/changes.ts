import type { Snowflake } from './snowflakes.ts';

/** A change of the world: an event for the bot and for the page, and a wake-up for `until`. */
export type Change = {
  /** The gateway's event name, or BOX_… for an event of the page alone. */
  t: string;
  d: Record<string, unknown>;
  /** The payload for sessions without the message content intent, instead of `d`. */
  withoutContent?: Record<string, unknown>;
  guildId?: Snowflake;
  /** Only members who may view this channel receive it. */
  channelId?: Snowflake;
  /** A session with one of these intents receives it; with 0, every session does. */
  intents: number;
  /** The bot does not receive it. */
  pageOnly?: boolean;
  /** Only this member's page receives it, such as an ephemeral message. */
  onlyFor?: Snowflake;
};

export type Changes = {
  emit(change: Change): void;
  listen(listener: (change: Change) => void): () => void;
  /** Resolves with the first result that is not undefined. Asks now, after every change, and every 20 ms. */
  until<T>(ask: () => T | undefined, what: string): Promise<T>;
};

/** `untilMs`: how long `until` waits at most. */
export function openChanges(untilMs: number): Changes {
  const listeners = new Set<(change: Change) => void>();
  const listen = (listener: (change: Change) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    emit: (change) => {
      for (const listener of listeners) listener(change);
    },
    listen,
    until: (ask, what) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = ask();
          if (found === undefined) return;
          end();
          resolve(found);
        };
        const end = (): void => {
          clearTimeout(deadline);
          clearInterval(ticks);
          stop();
        };
        const deadline = setTimeout(() => {
          end();
          reject(new Error(`Waited ${untilMs} ms for ${what}.`));
        }, untilMs);
        // Some conditions, such as the bot's own memory, change without an event.
        const ticks = setInterval(check, 20);
        const stop = listen(check);
        check();
      }),
  };
}
