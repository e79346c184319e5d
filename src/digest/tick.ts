import { isOutage, warn } from '../discord/outage.ts';
import { fault } from '../log.ts';
import { tell } from '../signals.ts';
import { ANNOUNCEMENTS, readDue, setDue } from '../store/due.ts';
import { readEditions } from '../store/digests.ts';
import { readSetting } from '../store/settings.ts';
import { announceInteresting } from './announcements.ts';
import { attend } from './attend.ts';
import { attentionAtMs } from './period.ts';
import type { Press } from './press.ts';

/** So many are posted side by side, since each mostly waits for its channel's answers. */
const SIDE_BY_SIDE = 8;

/**
 * Posts what is due by now, the longest due first. Call it once a minute, and not again before it
 * ended. One range read, however many guilds there are; a fault in one edition holds up no other.
 * Once the signal is given, it ends what is under way and begins nothing.
 */
export async function runDueDigests(press: Press, signal?: AbortSignal): Promise<void> {
  const all = await readDue(press.store, press.clock.now());
  const due = all.filter(({ guild }) => press.outlet.serves(guild)).values();
  const attendInTurn = async () => {
    for (const { guild, edition } of due) {
      if (signal?.aborted) return;
      try {
        if (edition === ANNOUNCEMENTS) {
          await announceInteresting(press, guild);
          continue;
        }
        const outcome = await attend(press, guild, edition);
        if (outcome !== 'idle') press.log.info({ guild, edition, outcome }, 'A digest was due.');
      } catch (error) {
        const again = 'What is due is tried again in a minute.';
        if (isOutage(error)) warn(press.log, error, { guild, edition }, again);
        else press.log.error({ ...fault(error), guild, edition }, again);
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, attendInTurn));
  tell('tick', {});
}

/**
 * Rebuilds what is due from the guilds' own data: at the start, for guilds that appear, and nightly.
 * Entries of editions that are gone are dropped when they come up.
 */
export async function rebuildDue(press: Press, guilds: Iterable<string>): Promise<void> {
  for (const guild of guilds) {
    for (const { name, edition, run } of await readEditions(press.store, guild)) {
      await setDue(press.store, guild, name, attentionAtMs(edition, run));
    }
    const announcements = await readSetting(press.store, guild, 'announcements');
    if (announcements !== null) await setDue(press.store, guild, ANNOUNCEMENTS, 0);
  }
}
