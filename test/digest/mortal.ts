import type { Redis } from 'ioredis';
import type { Press } from '../../src/digest/press.ts';

/** What a posting does to the outside, in the order in which it does it. */
export type Step =
  | 'claimEdition'
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
export function mortal(
  press: Press,
  { step, when, nth = 1 }: Death,
): { press: Press; died: Promise<void> } {
  let isDead = false;
  let seen = 0;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
    };
  });
  const never = () => new Promise<never>(() => {});

  function guarded<T extends object>(target: T): T {
    return new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          if (isDead) return never();
          const isTheStep = name === step && ++seen === nth;
          if (isTheStep && when === 'before') {
            die();
            return never();
          }
          const answer: unknown = await member.apply(object, args);
          if (isTheStep) die();
          return isDead ? never() : answer;
        };
      },
    });
  }

  const redis = guarded<Redis>(press.store.redis);
  return {
    press: { ...press, store: { ...press.store, redis }, outlet: guarded(press.outlet) },
    died,
  };
}
