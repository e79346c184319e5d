import { fault } from '../log.ts';
import { holdLease, type Lease, RENEW_MS, releaseLease, takeLease } from './lease.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { App } from '../app.ts';

/** A lease that is renewed until it is lost or no longer needed. */
export type HeldLease = {
  lease: Lease;
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
  lost(): boolean;
  /** Gives it back; never fails. */
  end(): Promise<void>;
};

function keepLease({ store, clock, log, stopping }: App, lease: Lease): HeldLease {
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
    lease,
    signal: AbortSignal.any([stopping, gone.signal]),
    lost: () => gone.signal.aborted,
    async end() {
      clearInterval(timer);
      // Unless Redis is away: then the lease runs out.
      await releaseLease(store, lease).catch(() => {});
    },
  };
}

/**
 * Does what one process is enough for, under a lease that is renewed meanwhile. Does nothing where
 * another is at it. What would do harm when done twice must watch whether the lease is lost.
 */
export async function alone<T>(
  app: App,
  what: { guild: Snowflake; work: string },
  act: (held: HeldLease) => Promise<T>,
): Promise<T | { status: 'held'; untilMs: number }> {
  const taken = await takeLease(app.store, what, app.clock.now());
  if (taken.status === 'held') return taken;
  const held = keepLease(app, taken.lease);
  try {
    return await act(held);
  } finally {
    await held.end();
  }
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
