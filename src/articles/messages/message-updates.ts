import { type Clock, HOUR_MS } from '../../clock.ts';
import { remember } from '../../discord/remember.ts';
import { openTasks } from '../../discord/requests/tasks.ts';
import { openMutex } from '../../mutex.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { editMessage, type EditParts, readSubject } from './edit-message.ts';

/** Edits use few of Discord's requests, and wait for each other in a channel. */
const SIDE_BY_SIDE = 20;
const REST_MS = HOUR_MS;
const REMEMBERED_AT_MOST = 10_000;

/** Edits articles' messages to match the ranking. The reactions show the tally, so votes edit nothing. */
export type MessageUpdates = ReturnType<typeof openMessageUpdates>;

export function openMessageUpdates(parts: EditParts & { clock: Clock }) {
  const { ranking, clock, log } = parts;
  /** Two edits of one message could otherwise arrive in the wrong order. */
  const inTurn = openMutex();
  const edits = openTasks(log, SIDE_BY_SIDE);
  const refusedAtMs = new Map<Snowflake, number>();
  /** Articles whose message shows the result. The ranking closes them a moment later. */
  const final = new Map<Snowflake, true>();

  /**
   * Edits the message now unless it is up to date. `closed`: shows the tally as the result, even if the
   * ranking has the voting open. `refused`: Discord does not allow the edit for now.
   */
  function show(
    guild: Snowflake,
    id: Snowflake,
    as?: { closed: boolean },
  ): Promise<'shown' | 'refused'> {
    return inTurn(id, async () => {
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

  /** Call it after a change that the message shows. Edits the message soon. */
  function note(guild: Snowflake, article: Snowflake): void {
    edits.add(article, () => show(guild, article));
  }
  ranking.onUnconfirmed = note;

  return {
    note,
    show,
    /** Discord refused an edit less than an hour ago. */
    isResting: (article: Snowflake): boolean =>
      clock.now() - (refusedAtMs.get(article) ?? -Infinity) < REST_MS,
    stop: () => edits.stop(),
  };
}
