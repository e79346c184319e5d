import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, HOUR_MS } from '../../clock.ts';
import { remember } from '../../discord/remember.ts';
import { fault } from '../../log.ts';
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
  /** Articles whose message is being edited; `again` after another change in the meantime. */
  const working = new Map<Snowflake, { again: boolean; done: Promise<void> }>();
  const refusedAtMs = new Map<Snowflake, number>();

  function note(guild: Snowflake, article: Snowflake): void {
    if (stopping.aborted) return;
    const known = working.get(article);
    if (known) {
      known.again = true;
      return;
    }
    const entry = { again: false, done: Promise.resolve() };
    working.set(article, entry);
    entry.done = work(guild, article, entry)
      .catch((error: unknown) => {
        if (!stopping.aborted)
          log.warn({ ...fault(error), article }, 'A message is not up to date.');
      })
      .finally(() => working.delete(article));
  }

  async function work(guild: Snowflake, id: Snowflake, entry: { again: boolean }): Promise<void> {
    for (let tries = 1; ; ) {
      entry.again = false;
      try {
        await show(guild, id);
        if (!entry.again) return;
      } catch (error) {
        if (tries >= TRIES_AT_MOST) throw error;
        await pause(RETRY_MS * tries, undefined, { signal: stopping });
        tries += 1;
      }
    }
  }

  async function show(
    guild: Snowflake,
    id: Snowflake,
    as?: { closed: boolean },
  ): Promise<'shown' | 'refused'> {
    const subject = await readSubject(ranking, guild, id);
    if (!subject) return 'shown';
    if (as?.closed) subject.article.closed = true;
    const outcome = await editMessage(parts, guild, subject);
    if (outcome === 'refused') remember(refusedAtMs, id, clock.now(), REMEMBERED_AT_MOST);
    else refusedAtMs.delete(id);
    return outcome;
  }

  return {
    note,
    show,
    isResting: (article) => clock.now() - (refusedAtMs.get(article) ?? -Infinity) < REST_MS,
    async stop() {
      await Promise.allSettled([...working.values()].map(({ done }) => done));
    },
  };
}
