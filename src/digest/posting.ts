import { fault } from '../log.ts';
import { type Claim, holdClaim } from '../store/claims.ts';
import type { Edition } from '../store/edition.ts';
import type { Draft } from './draft.ts';
import type { Body } from './edition-message.ts';
import { markOf, nonceOf } from './mark.ts';
import type { Refused } from './outlet.ts';
import { LATE_MS } from './period.ts';
import type { Press } from './press.ts';
import type { Slot } from './schedule.ts';

export type PostOutcome =
  | { status: 'posted'; sent: number }
  /** Somebody else took over the claim; nothing more is ours to do. */
  | { status: 'lost' }
  | (Refused & { isUnsent: boolean });

type Posting = {
  claim: Claim;
  edition: Edition;
  draft: Draft;
  slot: Slot;
  /** Without Read Message History Discord shows an empty channel. */
  mayReadBack: boolean;
  /** The last page that a predecessor may have sent. */
  tried: number;
};

/** What a read-back has seen is good for so long. */
const FRESH_MS = 20_000;
/** Discord's clock makes the ids that a read-back starts from, and ours the slot. */
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
export async function postPages(press: Press, posting: Posting): Promise<PostOutcome> {
  const { claim, draft, edition } = posting;
  const pages = draft.pages.length;
  let seen: Seen | null = null;
  let sent = 0;
  for (const [at, body] of draft.pages.entries()) {
    const page = at + 1;
    if (posting.mayReadBack) {
      const looked = await freshlySeen(press, posting, seen);
      if ('status' in looked)
        return looked.status === 'lost' ? looked : { ...looked, isUnsent: false };
      seen = looked;
    } else if (page <= posting.tried) continue; // It may be there, and nothing is sent twice.
    const found = seen?.marks.get(markOf({ ...claim, page, pages }));
    if (found !== undefined) {
      if (page === 1) await discuss(press, posting, found);
      continue;
    }
    const held = await holdClaim(press.store, claim, press.clock.now(), { tried: page });
    if (held.status === 'lost') return { status: 'lost' };
    const nonce = nonceOf(claim.guild, claim.edition, claim.date, page);
    const isLate = page === 1 && press.clock.now() - posting.slot.atMs > LATE_MS;
    const told = isLate ? withLine(body, draft.lateLine) : body;
    const delivery = await press.outlet.send(edition.channel, told, nonce);
    if (delivery.status === 'refused') return { ...delivery, isUnsent: page === 1 };
    sent += 1;
    if (page === 1) await discuss(press, posting, delivery.message);
  }
  return { status: 'posted', sent };
}

/** Puts a line after the first one. Whether a digest is late is known only when it is sent. */
function withLine(body: Body, line: string): Body {
  const [first = '', ...rest] = (body.content ?? '').split('\n');
  return { ...body, content: [first, line, ...rest].join('\n') };
}

/** Our own messages since the slot, as of an instant. */
type Seen = { marks: Map<string, string>; atMs: number };

/** Reads the channel, or what is new in it, until what is seen is fresh. */
async function freshlySeen(
  press: Press,
  { claim, edition, slot }: Posting,
  before: Seen | null,
): Promise<Seen | { status: 'lost' } | Refused> {
  const holds = async () =>
    (await holdClaim(press.store, claim, press.clock.now())).status === 'held';
  let seen = before;
  while (seen === null || press.clock.now() - seen.atMs > FRESH_MS) {
    const atMs = press.clock.now();
    const fromMs = (seen?.atMs ?? slot.atMs) - CLOCK_LEEWAY_MS;
    if (!(await holds())) return { status: 'lost' };
    // A busy channel has many pages, so the claim is held between them as well.
    const read = await press.outlet.readBack(edition.channel, fromMs, holds);
    if (read.status === 'stopped') return { status: 'lost' };
    if (read.status === 'refused') return read;
    seen = { marks: new Map([...(seen?.marks ?? []), ...read.marks]), atMs };
  }
  return seen;
}

/** A digest without its thread is still the digest. */
async function discuss(press: Press, posting: Posting, message: string): Promise<void> {
  const { edition, draft, claim } = posting;
  if (!edition.thread) return;
  try {
    await press.outlet.startThread(edition.channel, message, draft.threadName);
  } catch (error) {
    const { guild, edition: name } = claim;
    press.log.warn({ ...fault(error), guild, edition: name }, 'A thread could not be started.');
  }
}
