import { type Claim, holdClaim } from '../../records/digests/posting-claims.ts';
import type { Body } from '../content/message.ts';
import type { Refused } from './channel.ts';
import type { DigestContext } from './context.ts';

export type PostOutcome =
  | { status: 'posted'; sent: number }
  /** Somebody else took over the claim; nothing more is ours to do. */
  | { status: 'lost' }
  | (Refused & { isUnsent: boolean });

/** One message of a posting. */
export type Page = {
  /** What a read-back of the channel knows it by. */
  tag: string;
  /** The same from every process, so that Discord knows a second send. */
  nonce: string;
  /** As it is just before it is sent. */
  body: () => Body;
};

export type Posting = {
  claim: Claim;
  channel: string;
  pages: readonly Page[];
  /** Before this nothing of it can have been sent. */
  sinceMs: number;
  /** Without Read Message History Discord shows an empty channel. */
  mayReadBack: boolean;
  /** The last page that a predecessor may have sent. */
  tried: number;
  /** Whether a tag is of this posting, on whatever pages. */
  isOurs?: (tag: string) => boolean;
  /** The first page is in the channel, perhaps not for the first time. */
  onFirst?: (message: string) => Promise<void>;
};

/** What a read-back has seen is good for so long. */
const FRESH_MS = 20_000;
/** Discord's clock makes the ids that a read-back starts from, and ours the instant. */
const CLOCK_LEEWAY_MS = 5 * 60_000;

/**
 * Sends the pages that are not in the channel yet, each once, whoever else died at it.
 *
 * Just before each send the channel has been read back, the claim is still ours, and the page is
 * noted as tried. What happens between that and Discord's answer is unknown to a successor, who
 * reads back again; and where Discord has the message but does not show it yet, the nonce makes it
 * answer with the first one. What no client can prevent: a process that stands still between the
 * last check and the send for longer than Discord remembers nonces.
 */
export async function postPages(context: DigestContext, posting: Posting): Promise<PostOutcome> {
  const { claim, channel, pages } = posting;
  let seen: Seen | null = null;
  let sent = 0;
  for (const [at, { tag, nonce, body }] of pages.entries()) {
    if (posting.mayReadBack) {
      const looked = await freshlySeen(context, posting, seen);
      if ('status' in looked)
        return looked.status === 'lost' ? looked : { ...looked, isUnsent: false };
      seen = looked;
    } else if (at < posting.tried) continue; // It may be there, and nothing is sent twice.
    if (at === 0 && seen !== null && isThereOtherwise(posting, seen)) {
      const { guild } = claim;
      context.log.info({ guild, tag }, 'What is posted already stays, though its plan is lost.');
      return { status: 'posted', sent: 0 };
    }
    const found = seen?.tags.get(tag);
    if (found !== undefined) {
      if (at === 0) await posting.onFirst?.(found);
      continue;
    }
    const held = await holdClaim(context.store, claim, context.clock.now(), { tried: at + 1 });
    if (held.status === 'lost') return { status: 'lost' };
    const delivery = await context.channels.send(channel, body(), nonce);
    if (delivery.status === 'refused') return { ...delivery, isUnsent: at === 0 };
    sent += 1;
    if (at === 0) await posting.onFirst?.(delivery.message);
  }
  return { status: 'posted', sent };
}

/**
 * On other pages than ours: a server that took over may lack the plan by which they were sent, and
 * a plan that was made since may need more of them, or fewer.
 */
function isThereOtherwise({ pages, isOurs }: Posting, { tags }: Seen): boolean {
  if (isOurs === undefined) return false;
  const planned = new Set(pages.map(({ tag }) => tag));
  return [...tags.keys()].some((tag) => isOurs(tag) && !planned.has(tag));
}

/** Our own messages since then, as of an instant. */
type Seen = { tags: Map<string, string>; atMs: number };

/** Reads the channel, or what is new in it, until what is seen is fresh. */
async function freshlySeen(
  context: DigestContext,
  { claim, channel, sinceMs }: Posting,
  before: Seen | null,
): Promise<Seen | { status: 'lost' } | Refused> {
  const holds = async () =>
    (await holdClaim(context.store, claim, context.clock.now())).status === 'held';
  let seen = before;
  while (seen === null || context.clock.now() - seen.atMs > FRESH_MS) {
    const atMs = context.clock.now();
    const fromMs = (seen?.atMs ?? sinceMs) - CLOCK_LEEWAY_MS;
    if (!(await holds())) return { status: 'lost' };
    // A busy channel has many pages, so the claim is held between them as well.
    const read = await context.channels.readBack(channel, fromMs, holds);
    if (read.status === 'stopped') return { status: 'lost' };
    if (read.status === 'refused') return read;
    seen = { tags: new Map([...(seen?.tags ?? []), ...read.tags]), atMs };
  }
  return seen;
}
