import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../discord/requests/refusals.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Body, Found, Messages, Refused } from './messages.ts';

/** A message of the bot that is to stand in a channel, once. */
export type Standing = {
  target: Target;
  /** Discord makes one message of two with it, for some minutes. The same in every process. */
  nonce: string;
  /** Whether one of the bot's messages is this one, by a part of what it says that stays the same. */
  matches: (content: string) => boolean;
  /** It cannot have been sent before this time (ms). */
  sinceMs: number;
  /** Without Read Message History Discord shows an empty channel. */
  mayReadBack: boolean;
  /**
   * What it says, asked before the look and again just before each request, so that nothing which was decided
   * earlier is sent. null: there is nothing to say. `isPlain`: without links to pages. `found`: what it says in the
   * channel already.
   */
  write: (how: { isPlain: boolean; found: Found | null }) => Promise<Body | null>;
  /** It cannot be taken back later, so that it is written anew after the send, and edited if it changed on its way. */
  isFinal?: boolean;
  /** It is too late to send it: it is only looked for, and stays as it is. */
  isOver?: boolean;
};

/** The right to be the only process that shows a message. */
export type Claim = {
  /** An earlier holder may have sent it. */
  isTried: boolean;
  /** Renews the claim; false if it is lost. `isTry`: and notes that the message is about to be sent. */
  hold: (isTry: boolean) => Promise<boolean>;
};

export type Shown =
  /**
   * It stands in the channel. `refusedLinks`: Discord's code, where it takes it without links to pages alone.
   * `before`: what it says, where it stood there although nobody had noted to send it, or stays because it is over.
   */
  | { status: 'shown'; message: Snowflake; refusedLinks?: string; before?: Found }
  /** It may stand there and cannot be looked for, so that it is never sent twice. */
  | { status: 'unknown' }
  /** Another process has the claim, or there is nothing to say. */
  | { status: 'lost' | 'none' }
  /** `isUnsent`: nothing of it stands in the channel. */
  | (Refused & { isUnsent: boolean });

export interface KeepShownNeeds {
  /** Looks for it, sends and edits it. */
  channels: Messages;
  /** Discord's time. */
  clock: Clock;
}

/** The time for which the result of a look is valid. */
const FRESH_MS = 20_000;
/** Message ids hold Discord's time, and until the first answer of Discord our clock is the machine's. */
const CLOCK_LEEWAY_MS = 5 * 60_000;

/**
 * Has a message stand in a channel, once among all processes, even if a process dies. What an earlier process
 * tried to send is edited to what is true now. What stands there although nobody noted to try stays as it is:
 * Redis has lost what it was told, and Discord is the newer one.
 *
 * Just before the send, the channel was looked at, this process still holds the claim, and the message is noted
 * as tried. If the process dies before Discord answers, the next one does not know the result and looks again.
 * If Discord has the message but does not show it yet, it recognizes the nonce and answers with the first
 * message. No client can prevent one case: a send that reaches Discord later than Discord remembers nonces,
 * because its process paused amid it, or its way was as long.
 */
export async function keepShown(
  needs: KeepShownNeeds,
  standing: Standing,
  claim: Claim,
): Promise<Shown> {
  const { channels, clock } = needs;
  const { target, matches, sinceMs, mayReadBack, write, isOver = false } = standing;
  // Discord is asked nothing where there is nothing to say.
  if ((await write({ isPlain: false, found: null })) === null) return { status: 'none' };
  if (!mayReadBack && claim.isTried) return { status: 'unknown' };
  const isHeld = () => claim.hold(false);
  let fromMs = sinceMs;
  for (;;) {
    const lookedAtMs = clock.now();
    if (mayReadBack) {
      // A busy channel has many pages, so the claim is renewed between them too.
      if (!(await isHeld())) return { status: 'lost' };
      const look = await channels.readBack(target, fromMs - CLOCK_LEEWAY_MS, matches, isHeld);
      if (look.status === 'found') {
        if (claim.isTried && !isOver) return edit(needs, standing, claim, look);
        return { status: 'shown', message: look.message, before: look.found };
      }
      if (look.status === 'refused') return { ...look, isUnsent: false };
      if (look.status === 'lost') return { status: 'lost' };
    }
    const body = isOver ? null : await write({ isPlain: false, found: null });
    if (body === null) return { status: 'none' };
    if (!(await claim.hold(true))) return { status: 'lost' };
    // After a pause, a request of a process that died may have arrived, and be too old for its nonce.
    if (clock.now() - lookedAtMs <= FRESH_MS || !mayReadBack)
      return send(needs, standing, claim, body);
    fromMs = lookedAtMs;
  }
}

async function send(
  needs: KeepShownNeeds,
  standing: Standing,
  claim: Claim,
  body: Body,
): Promise<Shown> {
  const { channels } = needs;
  const { target, nonce, write, isFinal = false } = standing;
  let sentBody = body;
  let answer = await channels.sendMessage(target, sentBody, nonce);
  const refusedLinks = codeOfLinks(answer);
  if (refusedLinks !== undefined) {
    const plain = await write({ isPlain: true, found: null });
    if (plain === null) return { status: 'none' };
    sentBody = plain;
    answer = await channels.sendMessage(target, sentBody, nonce);
  }
  // What an earlier process tried may be in the channel all the same.
  if (answer.status === 'refused') return { ...answer, isUnsent: !claim.isTried };
  // Discord may have answered with what an earlier process had sent.
  if (claim.isTried) return edit(needs, standing, claim, answer);
  if (isFinal) {
    const written = await write({ isPlain: refusedLinks !== undefined, found: answer.found });
    const isChanged = written !== null && !isDeepStrictEqual(written, sentBody);
    if (isChanged) return edit(needs, standing, claim, answer);
  }
  return shownAs(answer.message, refusedLinks);
}

/** Edits what stands in the channel to what is true now. What cannot be edited stays as it is. */
async function edit(
  { channels }: KeepShownNeeds,
  { target, write }: Standing,
  claim: Claim,
  { message, found }: { message: Snowflake; found: Found },
): Promise<Shown> {
  const tryEdit = async (isPlain: boolean) => {
    const body = await write({ isPlain, found });
    return body && channels.editMessage(target, message, body, () => claim.hold(false));
  };
  let answer = await tryEdit(false);
  const refusedLinks = answer === null ? undefined : codeOfLinks(answer);
  if (refusedLinks !== undefined) answer = await tryEdit(true);
  return answer?.status === 'lost' ? { status: 'lost' } : shownAs(message, refusedLinks);
}

function shownAs(message: Snowflake, refusedLinks: string | undefined): Shown {
  return { status: 'shown', message, ...(refusedLinks !== undefined && { refusedLinks }) };
}

/** Discord's code, where it refused a message for its links. */
function codeOfLinks(answer: { status: string } | Refused): string | undefined {
  return 'reason' in answer && answer.reason === 'text' ? answer.detail : undefined;
}
