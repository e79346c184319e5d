import type { Snowflake } from './snowflakes.ts';

/** Something happened: a gateway event for the bot, a line in the stream for the page, a wake-up for waiters. */
export type Change = {
  /** The gateway's event name, or SANDBOX_… for what only the page is told. */
  t: string;
  d: Record<string, unknown>;
  /** What a session without the message content intent receives instead of `d`. */
  withoutContent?: Record<string, unknown>;
  guildId?: Snowflake;
  /** Only those who may view this channel are told. */
  channelId?: Snowflake;
  /** One of these intents lets a session receive it; 0 is always received. */
  intents: number;
  /** The bot is not told. */
  pageOnly?: boolean;
  /** Only this member's page is told, such as an ephemeral message. */
  onlyFor?: Snowflake;
};

export type Changes = {
  emit(change: Change): void;
  listen(listener: (change: Change) => void): () => void;
  /** Resolves with the first result that is not undefined: asked now, after every change, and now and then. */
  until<T>(ask: () => T | undefined, what: string, deadlineMs?: number): Promise<T>;
};

export function openChanges(): Changes {
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
    until: (ask, what, deadlineMs = 10_000) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const answer = ask();
          if (answer === undefined) return;
          end();
          resolve(answer);
        };
        const end = (): void => {
          clearTimeout(deadline);
          clearInterval(ticks);
          stop();
        };
        const deadline = setTimeout(() => {
          end();
          reject(new Error(`Waited ${deadlineMs} ms in vain for ${what}.`));
        }, deadlineMs);
        // Some conditions, such as the bot's own memory, change without a word to the sandbox.
        const ticks = setInterval(look, 20);
        const stop = listen(look);
        look();
      }),
  };
}
