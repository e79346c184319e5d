import { once } from 'node:events';
import { connect } from 'node:net';
import type { Redis } from 'ioredis';
import type { Press } from '../../src/digest/press.ts';

/** What a posting does to the outside, in the order in which it does it. */
export type Step =
  | 'claimPosting'
  | 'finishClaim'
  | 'holdClaim'
  | 'readBack'
  | 'send'
  | 'startThread'
  | 'recordEdition'
  | 'zadd';

export type Death = {
  step: Step;
  /** Before the step reaches anybody, or after it is done and before its answer is heard. */
  when: 'before' | 'after';
  /** At which occurrence of the step, from 1. */
  nth?: number;
};

/**
 * A press whose process dies at a step: what it asked for after that never happens, and no answer
 * reaches it. `died` resolves then.
 */
export function mortal(press: Press, death: Death): { press: Press; died: Promise<void> } {
  const life = new AbortController();
  const died = new Promise<void>((resolve) => {
    life.signal.addEventListener('abort', () => resolve());
  });
  const dying = overheard(
    press,
    async (isTheStep, act) => {
      if (isTheStep && death.when === 'before') life.abort();
      if (life.signal.aborted) return never();
      const answer = await act();
      if (isTheStep) life.abort();
      return life.signal.aborted ? never() : answer;
    },
    death,
  );
  return { press: dying, died };
}

/** Sends the first half of a request over a connection that stays open, and then `die`s. */
export function halfASend(
  press: Press,
  { apiBase, token }: { apiBase: string; token: string },
  die: () => void,
): Press {
  return {
    ...press,
    outlet: {
      ...press.outlet,
      async send(channel, body, nonce) {
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

/** A press whose process stands still just before a step, while something else happens. */
export function stalled(
  press: Press,
  at: Omit<Death, 'when'>,
  meanwhile: () => Promise<unknown>,
): Press {
  return overheard(
    press,
    async (isTheStep, act) => {
      if (isTheStep) await meanwhile();
      return act();
    },
    at,
  );
}

type Listener = (isTheStep: boolean, act: () => Promise<unknown>) => Promise<unknown>;

function overheard(
  press: Press,
  listener: Listener,
  { step, nth = 1 }: Omit<Death, 'when'>,
): Press {
  let seen = 0;
  function tapped<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (name === step) seen += 1;
          return listener(name === step && seen === nth, async () => member.apply(object, args));
        };
      },
    });
  }
  const redis = tapped<Redis>(press.store.redis);
  return { ...press, store: { ...press.store, redis }, outlet: tapped(press.outlet) };
}
