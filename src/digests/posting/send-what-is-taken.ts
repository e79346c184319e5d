import { noteHeldBack } from '../../articles/held-back/held-back.ts';
import { showWhatIsTaken } from '../../articles/held-back/show-what-is-taken.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Draft, namedIn } from '../content/draft.ts';
import type { Body } from '../content/edition-message.ts';
import type { Digest } from '../digest-settings.ts';
import type { DigestContext } from './posting-context.ts';
import type { SendOutcome } from './send-once.ts';

/** A draft, and what became of it. */
export type Sent = { draft: Draft; sent: SendOutcome };

/** The message that was posted, if it is known. */
export function messageOf({ sent }: Sent): Snowflake | null {
  return sent.status === 'posted' ? sent.message : null;
}

type Edition = {
  guild: Snowflake;
  digest: Digest;
  /** The language of what the admins are told. */
  locale: string;
  /** Drafts the edition with the articles that it may name. */
  draft: (mayName: (article: Article) => boolean) => Promise<Draft>;
  /** Sends the message with such a draft. Null if another process does it. */
  send: (draft: Draft & { body: Body }) => Promise<SendOutcome | null>;
  /** Asked just before an edit. False if another process goes on: its edits are newer. */
  holds: () => Promise<boolean>;
  /** The message says now what is in this draft. False if another process goes on. */
  noteChange: (draft: Draft) => Promise<boolean>;
  /** What is in the channel already: some articles were tried, and the process died. */
  before: Sent | null;
};

/**
 * Posts an edition with all articles that Discord takes, where it refuses the message with all that were
 * chosen: the first part that it takes is sent, and the others are added to that message. The refused ones
 * are remembered and told of. `shown`: what is in the channel now, or null. `isLost`: not all was tried, because
 * another process goes on, or this one after a pause.
 */
export async function sendWhatIsTaken(
  context: DigestContext,
  { guild, digest, locale, draft, send, holds, noteChange, before }: Edition,
): Promise<{ shown: Sent | null; isLost: boolean }> {
  const { clock, channels } = context;
  const { channel } = digest;
  let shown = before;
  let message = before && messageOf(before);
  let code = '';
  let isLost = false;

  function lost(): 'ended' {
    isLost = true;
    return 'ended';
  }

  async function show(only: ReadonlySet<Snowflake>) {
    const next = await draft(({ id }) => only.has(id));
    const { body } = next;
    if (body === null || isQuiet(next)) return 'empty';
    if (message === null) {
      const sent = await send({ ...next, body });
      if (sent === null) return lost();
      if (sent.status === 'refused' && sent.isText) {
        code = sent.detail;
        return 'refused';
      }
      shown = { draft: next, sent };
      message = messageOf(shown);
      return message === null ? 'ended' : 'taken';
    }
    const edited = await channels.editMessage({ guild, channel }, message, body, holds);
    if (edited.status === 'lost') return lost();
    if (edited.status === 'refused') {
      code = edited.detail;
      return edited.isText ? 'refused' : 'ended';
    }
    if (!(await noteChange(next))) return lost();
    shown = { draft: next, sent: shown!.sent };
    return 'taken';
  }

  const found = await showWhatIsTaken({
    async wanted(refused) {
      const whole = await draft(({ id }) => !refused.has(id));
      return isQuiet(whole) ? [] : namedIn(whole);
    },
    show,
    taken: before === null ? [] : namedIn(before.draft),
  });
  // Without a message that Discord takes, its reason may be none of an article's.
  if (message !== null) {
    const most = found.isOfNumber ? found.taken.size : null;
    const refusal = { code, locale, now: clock.now(), by: digest.savedBy, most };
    await noteHeldBack(context, { guild, channel }, [...found.refused], refusal);
  }
  return { shown, isLost };
}

function isQuiet({ shown }: Draft): boolean {
  return shown === null || shown.articles.length === 0;
}
