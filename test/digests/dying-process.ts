import { once } from 'node:events';
import { connect } from 'node:net';
import type { Redis } from 'ioredis';
import type { DigestContext } from '../../src/digests/posting/posting-context.ts';

/** What a posting does to the outside, in the order in which it does it. */
export type Step =
  | 'takeLease'
  | 'holdLease'
  // A method that is renamed no longer compiles here, where a test would wait for its old name forever.
  | Extract<keyof DigestContext['channels'], 'readBack' | 'sendMessage' | 'editMessage'>
  | 'releaseLease'
  // What counts as announced, and by which mark.
  | Extract<keyof Redis, 'set'>;

export type Death = {
  step: Step;
  /** Before the step reaches anybody, or after it is done and before its answer is heard. */
  when: 'before' | 'after';
  /** At which occurrence of the step, from 1. */
  nth?: number;
};

/**
 * A context whose process dies at a step: what it asked for after that never happens, and no answer
 * reaches it. `died` resolves then.
 */
export function dyingAt(
  context: DigestContext,
  death: Death,
): { context: DigestContext; died: Promise<void> } {
  const life = new AbortController();
  const died = new Promise<void>((resolve) => {
    life.signal.addEventListener('abort', () => resolve());
  });
  const dying = intercepted(
    context,
    async (isTheStep, act) => {
      if (isTheStep && death.when === 'before') life.abort();
      if (life.signal.aborted) return never();
      const answer = await act();
      if (isTheStep) life.abort();
      return life.signal.aborted ? never() : answer;
    },
    death,
  );
  return { context: dying, died };
}

/** Sends the first half of a request over a connection that stays open, and then `die`s. */
export function sendHalf(
  context: DigestContext,
  { apiBase, token }: { apiBase: string; token: string },
  die: () => void,
): DigestContext {
  return {
    ...context,
    channels: {
      ...context.channels,
      async sendMessage({ channel }, body, nonce) {
        const { hostname, port, pathname } = new URL(`${apiBase}/v10/channels/${channel}/messages`);
        const json = Buffer.from(JSON.stringify({ ...body, nonce, enforce_nonce: true }));
        const head = [
          `POST ${pathname} HTTP/1.1`,
          `Host: ${hostname}:${port}`,
          `Authorization: Bot ${token}`,
          'Content-Type: application/json',
          `Content-Length: ${json.length}`,
        ];
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        await once(socket, 'connect');
        const half = Buffer.concat([
          Buffer.from(`${head.join('\r\n')}\r\n\r\n`),
          json.subarray(0, json.length / 2),
        ]);
        await new Promise((written) => socket.write(half, written));
        die();
        return never();
      },
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** A context whose process pauses just before a step, while something else happens. */
export function pausedAt(
  context: DigestContext,
  at: Omit<Death, 'when'>,
  meanwhile: () => Promise<unknown>,
): DigestContext {
  return intercepted(
    context,
    async (isTheStep, act) => {
      if (isTheStep) await meanwhile();
      return act();
    },
    at,
  );
}

type Listener = (isTheStep: boolean, act: () => Promise<unknown>) => Promise<unknown>;

function intercepted(
  context: DigestContext,
  listener: Listener,
  { step, nth = 1 }: Omit<Death, 'when'>,
): DigestContext {
  let seen = 0;
  function tapped<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        // A stream of what a key holds is no step.
        if (String(name).endsWith('Stream')) return member.bind(object);
        return (...args: unknown[]) => {
          if (name === step) seen += 1;
          return listener(name === step && seen === nth, async () => member.apply(object, args));
        };
      },
    });
  }
  const redis = tapped<Redis>(context.store.redis);
  return { ...context, store: { ...context.store, redis }, channels: tapped(context.channels) };
}
