import { fault } from '../log.ts';
import { holdLease, type Lease, RENEW_MS, releaseLease } from '../store/leases.ts';
import type { Bot } from './bot.ts';

/** A lease that is renewed until it is lost or no longer needed. */
export type HeldLease = {
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
  lost(): boolean;
  /** Gives it back; never fails. */
  end(): Promise<void>;
};

export function keepLease({ store, clock, log, stopping }: Bot, lease: Lease): HeldLease {
  const gone = new AbortController();
  const timer = setInterval(() => {
    holdLease(store, lease, clock.now()).then(
      ({ status }) => {
        if (status === 'lost') gone.abort();
      },
      // While Redis is away the lease may run out; whoever takes it then has Redis.
      (error: unknown) => log.info({ ...fault(error), guild: lease.guild }, 'A lease waits.'),
    );
  }, RENEW_MS);
  return {
    signal: AbortSignal.any([stopping, gone.signal]),
    lost: () => gone.signal.aborted,
    async end() {
      clearInterval(timer);
      // Unless Redis is away: then the lease runs out.
      await releaseLease(store, lease).catch(() => {});
    },
  };
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
