import { keepLease, type Lease } from '../../redis/lease.ts';
import type { Body } from '../content/edition-message.ts';
import type { Target } from '../../discord/requests/refusals.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { DigestContext, ReadBack, Refused } from './posting-context.ts';

/**
 * `lost`: another process took over the lease, so this one must stop. `outdated`: nothing was sent, since
 * the message is not current any more.
 */
export type SendOutcome =
  /**
   * `message`: null where it cannot be read which one it is. `content`: what is in it, which an earlier
   * process may have sent; null where that is not known. `isUnnoted`: it was there, and no send was noted.
   */
  | {
      status: 'posted';
      message: Snowflake | null;
      content: string | null;
      isUnnoted?: boolean;
    }
  | { status: 'lost' | 'outdated' }
  | (Refused & { isUnsent: boolean });

type MessageToSend = {
  /** It must be held. */
  lease: Lease;
  target: Target;
  /** The same in every process, so that Discord recognizes a second send. */
  nonce: string;
  body: Body;
  /** Whether a message of the bot since `sinceMs` is it, or is what was to be sent before in its place. */
  isIt: (content: string) => boolean;
  /** The message cannot have been sent before this time. */
  sinceMs: number;
  /** Without Read Message History Discord shows an empty channel. */
  mayReadBack: boolean;
  /** An earlier process may have sent it. */
  tried: boolean;
  /** Whether the message may still be sent as it is. It is asked just before. */
  isCurrent(): Promise<boolean>;
};

/** The time for which the result of a read-back is valid. */
const FRESH_MS = 20_000;
/** Message ids hold Discord's time, and until the first answer of Discord our clock is the machine's. */
const CLOCK_LEEWAY_MS = 5 * 60_000;

/**
 * Sends a message that is not in the channel yet, once among all processes, even if a process dies.
 *
 * Just before the send, the channel has been read back, this process still holds the lease, and the
 * message is noted as tried. If the process dies before Discord answers, the next one does not know
 * the result and reads back again. If Discord has the message but does not show it yet, it recognizes
 * the nonce and answers with the first message. No client can prevent one case: a send that reaches
 * Discord later than Discord remembers nonces, because its process paused amid it, or its way was as long.
 */
export async function sendOnce(
  context: DigestContext,
  message: MessageToSend,
): Promise<SendOutcome> {
  const { lease, target, nonce, body, mayReadBack, tried, sinceMs } = message;
  const { store, channels, clock } = context;
  // Without a read-back, the message may be in the channel, and nothing may be sent twice.
  if (!mayReadBack && tried) return { status: 'posted', message: null, content: null };
  let fromMs = sinceMs;
  for (;;) {
    const readAtMs = clock.now();
    if (mayReadBack) {
      const seen = await readBack(context, message, fromMs);
      if (seen.status === 'lost') return { status: 'lost' };
      if (seen.status === 'refused') return { ...seen, isUnsent: false };
      if (seen.status === 'found') return { ...seen, status: 'posted', isUnnoted: !tried };
    }
    if (!(await message.isCurrent())) return { status: 'outdated' };
    if (!(await keepLease(store, lease, clock.now(), { tried: 1 }))) return { status: 'lost' };
    // After a pause, a request of a process that died may have arrived, and be too old for its nonce.
    if (clock.now() - readAtMs <= FRESH_MS || !mayReadBack) break;
    fromMs = readAtMs;
  }
  const delivery = await channels.sendMessage(target, body, nonce);
  // What an earlier process tried may be in the channel all the same.
  if (delivery.status === 'refused') return { ...delivery, isUnsent: !tried };
  return { ...delivery, status: 'posted' };
}

/** Looks for the message in the channel. */
async function readBack(
  { store, channels, clock }: DigestContext,
  { lease, target, isIt }: MessageToSend,
  fromMs: number,
): Promise<ReadBack> {
  // A busy channel has many pages, so renew the lease between them too.
  const holds = () => keepLease(store, lease, clock.now());
  if (!(await holds())) return { status: 'lost' };
  return channels.readBack(target, fromMs - CLOCK_LEEWAY_MS, isIt, holds);
}
