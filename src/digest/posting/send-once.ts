import { type Claim, holdClaim } from '../../records/digests/posting-claims.ts';
import type { Body } from '../content/message.ts';
import type { Refused } from './channel.ts';
import type { DigestContext } from './context.ts';

export type PostOutcome =
  | { status: 'posted' }
  /** Somebody else took over a claim; nothing more is ours to do. */
  | { status: 'lost' }
  | (Refused & { isUnsent: boolean });

/** A message that is sent once. */
export type Posting = {
  /** All of them must be held. */
  claims: readonly Claim[];
  channel: string;
  /** What a read-back of the channel knows it by. */
  tag: string;
  /** The same from every process, so that Discord knows a second send. */
  nonce: string;
  /** As it is just before it is sent. */
  body: () => Body;
  /** Before this it cannot have been sent. */
  sinceMs: number;
  /** Without Read Message History Discord shows an empty channel. */
  mayReadBack: boolean;
  /** A predecessor may have sent it. */
  tried: boolean;
  /** It is in the channel, perhaps not for the first time. */
  onPosted?: (message: string) => Promise<void>;
};

/** What a read-back has seen is good for so long. */
const FRESH_MS = 20_000;
/** Discord's clock makes the ids that a read-back starts from, and ours the instant. */
const CLOCK_LEEWAY_MS = 5 * 60_000;

/**
 * Sends a message that is not in the channel yet, once among all processes and whatever dies.
 *
 * Just before the send the channel has been read back, the claims are still ours, and the message is
 * noted as tried. What happens between that and Discord's answer is unknown to a successor, which
 * reads back again; and where Discord has the message but does not show it yet, the nonce makes it
 * answer with the first one. What no client can prevent: a process that stands still between the
 * last check and the send for longer than Discord remembers nonces.
 */
export async function postOnce(context: DigestContext, posting: Posting): Promise<PostOutcome> {
  const { channel, tag, nonce, body, mayReadBack, tried, onPosted } = posting;
  if (mayReadBack) {
    const seen = await readBack(context, posting);
    if ('status' in seen) return seen.status === 'lost' ? seen : { ...seen, isUnsent: false };
    const found = seen.get(tag);
    if (found !== undefined) {
      await onPosted?.(found);
      return { status: 'posted' };
    }
  } else if (tried) {
    // It may be there, and nothing is sent twice.
    return { status: 'posted' };
  }
  if (!(await holdAll(context, posting, { tried: 1 }))) return { status: 'lost' };
  const delivery = await context.channels.send(channel, body(), nonce);
  if (delivery.status === 'refused') return { ...delivery, isUnsent: true };
  await onPosted?.(delivery.message);
  return { status: 'posted' };
}

/** Our own messages by their tags, as fresh as the send demands. */
async function readBack(
  context: DigestContext,
  posting: Posting,
): Promise<Map<string, string> | { status: 'lost' } | Refused> {
  const holds = () => holdAll(context, posting);
  const tags = new Map<string, string>();
  let fromMs = posting.sinceMs;
  for (;;) {
    const atMs = context.clock.now();
    if (!(await holds())) return { status: 'lost' };
    // A busy channel has many pages, so the claim is held between them as well.
    const read = await context.channels.readBack(posting.channel, fromMs - CLOCK_LEEWAY_MS, holds);
    if (read.status === 'stopped') return { status: 'lost' };
    if (read.status === 'refused') return read;
    for (const [tag, message] of read.tags) tags.set(tag, message);
    if (context.clock.now() - atMs <= FRESH_MS) return tags;
    fromMs = atMs;
  }
}

async function holdAll(
  { store, clock }: DigestContext,
  { claims }: Posting,
  note: { tried?: 1 } = {},
): Promise<boolean> {
  for (const claim of claims) {
    if ((await holdClaim(store, claim, clock.now(), note)).status === 'lost') return false;
  }
  return true;
}
