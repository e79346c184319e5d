import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, HOUR_MS } from '../../clock.ts';
import { remember } from '../../discord/remember.ts';
import { fault } from '../../log.ts';
import { openMutex } from '../../mutex.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { editMessage, type EditParts, readSubject } from './edit-message.ts';

/** Edits articles' messages to match the ranking. The reactions show the tally, so votes edit nothing. */
export type MessageUpdates = {
  /** Call it after a change that the message shows. Edits the message soon, with a few retries. */
  note(guild: Snowflake, article: Snowflake): void;
  /**
   * Edits the message now unless it is up to date. `closed`: shows the tally as the result, even if the
   * ranking has the voting open. `refused`: Discord does not allow the edit for now.
   */
  show(
    guild: Snowflake,
    article: Snowflake,
    as?: { closed: boolean },
  ): Promise<'shown' | 'refused'>;
  /** Discord refused an edit less than an hour ago. */
  isResting(article: Snowflake): boolean;
  stop(): Promise<void>;
};

const RETRY_MS = 15_000;
/** After that, the hourly recount finds outdated messages. */
const TRIES_AT_MOST = 5;
const REST_MS = HOUR_MS;
const REMEMBERED_AT_MOST = 10_000;

export function openMessageUpdates(
  parts: EditParts & { clock: Clock; stopping: AbortSignal },
): MessageUpdates {
  const { ranking, clock, log, stopping } = parts;
  /** Two edits of one message could otherwise arrive in the wrong order. */
  const inTurn = openMutex();
  /** Articles whose next edit has not begun. It shows later changes too. */
  const waiting = new Set<Snowflake>();
  const editing = new Set<Promise<void>>();
  const refusedAtMs = new Map<Snowflake, number>();
  /** Articles whose message shows the result. The ranking closes them a moment later. */
  const final = new Map<Snowflake, true>();

  function note(guild: Snowflake, article: Snowflake): void {
    if (stopping.aborted || waiting.has(article)) return;
    waiting.add(article);
    const edit = showWithRetries(guild, article)
      .catch((error: unknown) => {
        if (!stopping.aborted)
          log.warn({ ...fault(error), article }, 'A message is not up to date.');
      })
      .finally(() => editing.delete(edit));
    editing.add(edit);
  }

  async function showWithRetries(guild: Snowflake, article: Snowflake): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await show(guild, article);
        return;
      } catch (error) {
        if (tries === TRIES_AT_MOST) throw error;
        await pause(RETRY_MS * tries, undefined, { signal: stopping });
      }
    }
  }

  function show(
    guild: Snowflake,
    id: Snowflake,
    as?: { closed: boolean },
  ): Promise<'shown' | 'refused'> {
    return inTurn(id, async () => {
      waiting.delete(id);
      const subject = await readSubject(ranking, guild, id);
      if (!subject) return 'shown';
      if (as?.closed) remember(final, id, true, REMEMBERED_AT_MOST);
      if (final.has(id)) subject.article.closed = true;
      const outcome = await editMessage(parts, guild, subject);
      if (outcome === 'refused') remember(refusedAtMs, id, clock.now(), REMEMBERED_AT_MOST);
      else refusedAtMs.delete(id);
      return outcome;
    });
  }

  ranking.onUnconfirmed = note;

  return {
    note,
    show,
    isResting: (article) => clock.now() - (refusedAtMs.get(article) ?? -Infinity) < REST_MS,
    async stop() {
      await Promise.allSettled(editing);
    },
  };
}
