import {
  type Announcing,
  noteAnnounced,
  readAnnouncing,
  unannounced,
  writeAnnouncing,
} from '../records/digests/announced.ts';
import { ANNOUNCEMENTS, setDue } from '../records/digests/due-queue.ts';
import { readRebuildStates } from '../records/history/rebuilds.ts';
import { readSetting } from '../records/settings.ts';
import { translate } from '../text/catalogue.ts';
import { isRescoring, readMark } from '../ranking/articles/mark.ts';
import { interestingSince } from '../ranking/lists/ranked.ts';
import { FINAL_AFTER_MS } from '../ranking/rules.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { notifyAdmins, brokenText } from './posting/notify-admins.ts';
import { announce, type Announced } from './announcement.ts';
import { PROBE_MS } from './schedule/due.ts';
import type { DigestContext } from './context.ts';

/** Under a minute, so that the next minute's tick finds it due. */
const LOOK_AGAIN_MS = 50_000;

/**
 * Announces articles of a guild that have become interesting and were not announced yet, each once.
 * Stores when to look again.
 * Articles that are interesting when announcements are switched on count as announced.
 * Throws if Redis or Discord fails; then call it again, which is safe.
 */
export async function announceInteresting(context: DigestContext, guild: Snowflake): Promise<void> {
  const { store, ranking, clock } = context;
  const channel = await readSetting(store, guild, 'announcements');
  const lookAtMs = channel === null ? null : clock.now() + LOOK_AGAIN_MS;
  await setDue(store, guild, ANNOUNCEMENTS, lookAtMs);
  const before = await readAnnouncing(store, guild);
  const [ranked] = await readRebuildStates(store, [guild]);
  // Articles that a rebuild finds are not news either.
  if (channel === null || !ranked?.complete) {
    if (before !== null) await writeAnnouncing(store, guild, null);
    return;
  }
  const broken = before?.broken?.channel === channel ? before.broken : null;
  if (broken !== null && clock.now() < broken.probeAtMs) return;
  const interesting = await interestingSince(ranking, guild, clock.now() - FINAL_AFTER_MS);
  // Read the mark after the list: what a lower mark added meanwhile is then no news either.
  const [mark, isMoving] = await Promise.all([
    readMark(ranking, guild),
    isRescoring(ranking, guild),
  ]);
  if (isMoving) return;
  // Nor is an article that a lowered mark made interesting, without a vote.
  const isNews = before !== null && mark >= before.mark;
  if (!isNews) await noteAnnounced(store, guild, await unannounced(store, guild, interesting));
  if (before?.mark !== mark || before.broken !== broken) {
    await writeAnnouncing(store, guild, { mark, broken });
  }
  if (!isNews) return;
  for (;;) {
    const announced = await announce(context, { guild, channel, interesting });
    if (announced.status === 'broken') {
      return markBroken(context, { guild, channel, mark, before: broken }, announced);
    }
    if (announced.status !== 'announced') break;
  }
  if (broken !== null) await writeAnnouncing(store, guild, { mark, broken: null });
}

async function markBroken(
  context: DigestContext,
  about: { guild: Snowflake; channel: Snowflake; mark: number; before: Announcing['broken'] },
  { reason, detail, locale }: Extract<Announced, { status: 'broken' }>,
): Promise<void> {
  const { guild, channel, mark, before } = about;
  const now = context.clock.now();
  const probeAtMs = now + PROBE_MS;
  const broken = { channel, reason, detail, sinceMs: before?.sinceMs ?? now, probeAtMs };
  await writeAnnouncing(context.store, guild, { mark, broken });
  if (before !== null) return;
  const text = translate(locale, 'announcement.notify', {
    reason: brokenText(locale, channel, broken),
  });
  await notifyAdmins(context, { guild, channel, reason, detail }, text);
}
