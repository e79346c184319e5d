import { fault } from '../log.ts';
import { holdLease, type Lease, RENEW_MS, releaseLease, takeLease } from '../store/leases.ts';
import type { Snowflake } from '../voting/snowflake.ts';
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

/**
 * Does what one process is enough for, unless another is at it. For work that does no harm where it
 * is done twice: it goes on when the lease is lost.
 */
export async function alone(
  bot: Bot,
  what: { guild: Snowflake; work: string },
  act: () => Promise<unknown>,
): Promise<void> {
  const taken = await takeLease(bot.store, what, bot.clock.now());
  if (taken.status === 'held') return;
  const held = keepLease(bot, taken.lease);
  try {
    await act();
  } finally {
    await held.end();
  }
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
