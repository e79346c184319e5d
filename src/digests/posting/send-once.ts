import { holdLease, type Lease } from '../../redis/lease.ts';
import { type Body, firstLineOf } from '../content/edition-message.ts';
import type { Target } from '../../discord/requests/refusals.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { DigestContext, ReadBack, Refused } from './posting-context.ts';

/**
 * `lost`: another process took over the lease, so this one must stop. `outdated`: nothing was sent, since
 * the message is not current any more.
 */
export type SendOutcome =
  /** `message`: null where it cannot be read which one it is. */
  | { status: 'posted'; message: Snowflake | null }
  | { status: 'lost' | 'outdated' }
  | (Refused & { isUnsent: boolean });

type MessageToSend = {
  /** It must be held. */
  lease: Lease;
  target: Target;
  /** The same in every process, so that Discord recognizes a second send. */
  nonce: string;
  /** No other message of the bot since `sinceMs` has its first line. */
  body: Body;
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
 * the nonce and answers with the first message. No client can prevent one case: a process that pauses
 * between the last check and the send for longer than Discord remembers nonces.
 */
export async function sendOnce(
  context: DigestContext,
  message: MessageToSend,
): Promise<SendOutcome> {
  const { lease, target, nonce, body, mayReadBack, tried } = message;
  const { store, channels, clock } = context;
  if (mayReadBack) {
    const seen = await readBack(context, message);
    if (seen.status === 'lost') return { status: 'lost' };
    if (seen.status === 'refused') return { ...seen, isUnsent: false };
    if (seen.status === 'found') return { status: 'posted', message: seen.message };
  } else if (tried) {
    // The message may be in the channel, and nothing may be sent twice.
    return { status: 'posted', message: null };
  }
  if (!(await message.isCurrent())) return { status: 'outdated' };
  const held = await holdLease(store, lease, clock.now(), { tried: 1 });
  if (held.status === 'lost') return { status: 'lost' };
  const delivery = await channels.sendMessage(target, body, nonce);
  if (delivery.status === 'refused') return { ...delivery, isUnsent: true };
  return { status: 'posted', message: delivery.message };
}

/** Looks for the message in the channel, recently enough for a send. */
async function readBack(
  { store, channels, clock }: DigestContext,
  { lease, target, body, sinceMs }: MessageToSend,
): Promise<ReadBack> {
  const isIt = (content: string) => content.includes(`${firstLineOf(body)}\n`);
  // A busy channel has many pages, so renew the lease between them too.
  const holds = async () => (await holdLease(store, lease, clock.now())).status === 'held';
  let fromMs = sinceMs;
  for (;;) {
    const atMs = clock.now();
    if (!(await holds())) return { status: 'lost' };
    const read = await channels.readBack(target, fromMs - CLOCK_LEEWAY_MS, isIt, holds);
    if (read.status !== 'none' || clock.now() - atMs <= FRESH_MS) return read;
    fromMs = atMs;
  }
}
