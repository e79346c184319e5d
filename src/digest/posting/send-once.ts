import { type Claim, holdClaim } from '../../records/digests/posting-claims.ts';
import type { Body } from '../content/message.ts';
import type { Place } from '../../discord/requests/refusals.ts';
import type { Refused } from './channel.ts';
import type { DigestContext } from './context.ts';

export type SendOutcome =
  | { status: 'posted' }
  /** Another process took over a claim, so this one must stop. */
  | { status: 'lost' }
  | (Refused & { isUnsent: boolean });

/** A message that is sent once. */
export type MessageToSend = {
  /** All of them must be held. */
  claims: readonly Claim[];
  place: Place;
  /** Identifies the message when the channel is read back. */
  tag: string;
  /** The same in every process, so that Discord recognizes a second send. */
  nonce: string;
  /** Builds the body just before it is sent. */
  body: () => Body;
  /** The message cannot have been sent before this time. */
  sinceMs: number;
  /** Without Read Message History Discord shows an empty channel. */
  mayReadBack: boolean;
  /** An earlier process may have sent it. */
  tried: boolean;
  /** Called when the message is in the channel. It can be called again for the same message. */
  onPosted?: (message: string) => Promise<void>;
};

/** The time for which the result of a read-back is valid. */
const FRESH_MS = 20_000;
/** The start of a read-back is a time of our clock, but message ids hold times of Discord's clock. */
const CLOCK_LEEWAY_MS = 5 * 60_000;

/**
 * Sends a message that is not in the channel yet, once among all processes, even if a process dies.
 *
 * Just before the send, the channel has been read back, this process still holds the claims, and the
 * message is noted as tried. If the process dies before Discord answers, the next one does not know
 * the result and reads back again. If Discord has the message but does not show it yet, it recognizes
 * the nonce and answers with the first message. No client can prevent one case: a process that pauses
 * between the last check and the send for longer than Discord remembers nonces.
 */
export async function sendOnce(
  context: DigestContext,
  message: MessageToSend,
): Promise<SendOutcome> {
  const { place, tag, nonce, body, mayReadBack, tried, onPosted } = message;
  if (mayReadBack) {
    const seen = await readBack(context, message);
    if ('status' in seen) return seen.status === 'lost' ? seen : { ...seen, isUnsent: false };
    const found = seen.get(tag);
    if (found !== undefined) {
      await onPosted?.(found);
      return { status: 'posted' };
    }
  } else if (tried) {
    // The message may be in the channel, and nothing may be sent twice.
    return { status: 'posted' };
  }
  if (!(await holdAll(context, message, { tried: 1 }))) return { status: 'lost' };
  const delivery = await context.channels.send(place, body(), nonce);
  if (delivery.status === 'refused') return { ...delivery, isUnsent: true };
  await onPosted?.(delivery.message);
  return { status: 'posted' };
}

/** Returns our own messages by their tags, read recently enough for a send. */
async function readBack(
  context: DigestContext,
  message: MessageToSend,
): Promise<Map<string, string> | { status: 'lost' } | Refused> {
  const holds = () => holdAll(context, message);
  const tags = new Map<string, string>();
  let fromMs = message.sinceMs;
  for (;;) {
    const atMs = context.clock.now();
    if (!(await holds())) return { status: 'lost' };
    // A busy channel has many pages, so renew the claim between them too.
    const read = await context.channels.readBack(message.place, fromMs - CLOCK_LEEWAY_MS, holds);
    if (read.status === 'stopped') return { status: 'lost' };
    if (read.status === 'refused') return read;
    for (const [tag, id] of read.tags) tags.set(tag, id);
    if (context.clock.now() - atMs <= FRESH_MS) return tags;
    fromMs = atMs;
  }
}

async function holdAll(
  { store, clock }: DigestContext,
  { claims }: MessageToSend,
  note: { tried?: 1 } = {},
): Promise<boolean> {
  for (const claim of claims) {
    if ((await holdClaim(store, claim, clock.now(), note)).status === 'lost') return false;
  }
  return true;
}
