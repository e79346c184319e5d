import type { Snowflake } from '../../ranking/snowflake.ts';
import { openMutex } from '../../mutex.ts';
import { within } from '../within.ts';

/** A keystroke that asks for choices. */
type Keystroke = { id: Snowflake; guildId: Snowflake; user: { id: Snowflake } };

/**
 * Does the work of a guild's keystrokes one at a time, and of a member's only the newest: what a member
 * typed before is no longer shown. Nothing is done for a keystroke that has waited too long. So the
 * typing of one guild's members never piles up before the others'.
 */
export type CompletionTurns = <T>(keystroke: Keystroke, work: () => Promise<T[]>) => Promise<T[]>;

export function openCompletionTurns(patienceMs: number): CompletionTurns {
  const inTurn = openMutex();
  const newest = new Map<string, Snowflake>();
  return async ({ id, guildId, user }, work) => {
    const member = `${guildId} ${user.id}`;
    const untilMs = performance.now() + patienceMs;
    newest.set(member, id);
    const found = inTurn(guildId, async () => {
      if (newest.get(member) !== id || performance.now() > untilMs) return [];
      return work();
    }).finally(() => {
      if (newest.get(member) === id) newest.delete(member);
    });
    return within(patienceMs, found, []);
  };
}
