import { fault } from '../log.ts';
import {
  type Announcing,
  noteAnnounced,
  readAnnouncing,
  unannounced,
  writeAnnouncing,
} from '../records/digests/announced.ts';
import { LEASE_MS } from '../records/digests/posting-claims.ts';
import { ANNOUNCEMENTS, setDue } from '../records/digests/due.ts';
import { readRebuildStates } from '../records/history/rebuilds.ts';
import { readSetting } from '../records/settings.ts';
import { translate } from '../text/catalogue.ts';
import { readArticles } from '../ranking/articles/articles.ts';
import { isRescoring, readMark } from '../ranking/articles/mark.ts';
import { interestingSince } from '../ranking/lists/ranked.ts';
import { VOTING_OPEN_MS } from '../ranking/rules.ts';
import { notifyAdmins, brokenText } from './posting/notify-admins.ts';
import { announce, type Announced } from './announcement.ts';
import { PROBE_MS } from './schedule/due.ts';
import type { DigestContext } from './posting/context.ts';

/** An article becomes interesting while voting is open, or by its last recount up to a day later. */
const OLDEST_MS = VOTING_OPEN_MS + 86_400_000;
/** The longest wait for an article that no process noticed, or whose process died. */
const LOOK_AGAIN_MS = 3_600_000;
/** The interval of looks while the ranking is being rebuilt from Discord, or a new mark applied. */
const UNRANKED_MS = 60_000;

/**
 * Announces articles of a guild that have become interesting and were not announced yet, each once
 * among all processes, even if a process dies in between. Stores when to look again.
 * Articles that are interesting when announcements are switched on count as announced.
 * Throws if Redis or Discord fails; then call it again, which is safe.
 */
export async function announceInteresting(context: DigestContext, guild: string): Promise<void> {
  const { store, ranking, clock } = context;
  const channel = await readSetting(store, guild, 'announcements');
  const before = await readAnnouncing(store, guild);
  const [ranked] = await readRebuildStates(store, [guild]);
  if (channel === null || !ranked?.born) {
    if (before !== null) await writeAnnouncing(store, guild, null);
    // Articles that a rebuild finds are not news either.
    const lookAtMs = channel === null ? null : clock.now() + UNRANKED_MS;
    return setDue(store, guild, ANNOUNCEMENTS, lookAtMs);
  }
  const broken = before?.broken?.channel === channel ? before.broken : null;
  if (broken !== null && clock.now() < broken.probeAtMs) {
    return setDue(store, guild, ANNOUNCEMENTS, broken.probeAtMs);
  }
  const since = clock.now() - OLDEST_MS;
  const interesting = await interestingSince(ranking, guild, since);
  // Read the mark after the list: what a lower mark added meanwhile is then no news either.
  const [mark, isMoving] = await Promise.all([
    readMark(ranking, guild),
    isRescoring(ranking, guild),
  ]);
  if (isMoving) return setDue(store, guild, ANNOUNCEMENTS, clock.now() + UNRANKED_MS);
  const left = await unannounced(store, guild, interesting);
  const known = knownAlready(before, mark, left);
  await noteAnnounced(store, guild, known);
  if (before?.mark !== mark || before.broken !== broken) {
    await writeAnnouncing(store, guild, { mark, broken });
  }
  let lookAtMs = clock.now() + LOOK_AGAIN_MS;
  for (let news = left.slice(known.length); news.length > 0; ) {
    const announced = await announce(context, { guild, articles: news, channel });
    if (announced.is === 'broken') {
      return markBroken(context, { guild, channel, mark, before: broken }, announced);
    }
    if (announced.is === 'held') {
      lookAtMs = clock.now() + LEASE_MS;
      break;
    }
    news = news.filter((article) => !announced.articles.includes(article));
  }
  if (broken !== null) await writeAnnouncing(store, guild, { mark, broken: null });
  await setDue(store, guild, ANNOUNCEMENTS, lookAtMs);
}

/**
 * Returns the articles in `left` that are no news: all of them when announcements begin, or when a
 * lowered mark made articles interesting without a vote; otherwise none.
 */
function knownAlready(before: Announcing | null, mark: number, left: string[]): string[] {
  return before === null || mark < before.mark ? left : [];
}

async function markBroken(
  context: DigestContext,
  about: { guild: string; channel: string; mark: number; before: Announcing['broken'] },
  { reason, detail, locale }: Extract<Announced, { is: 'broken' }>,
): Promise<void> {
  const { guild, channel, mark, before } = about;
  const now = context.clock.now();
  const probeAtMs = now + PROBE_MS;
  const broken = { channel, reason, detail, sinceMs: before?.sinceMs ?? now, probeAtMs };
  await writeAnnouncing(context.store, guild, { mark, broken });
  await setDue(context.store, guild, ANNOUNCEMENTS, probeAtMs);
  if (before !== null) return;
  const text = translate(locale, 'announcement.notify', {
    reason: brokenText(locale, channel, broken),
  });
  await notifyAdmins(context, { guild, channel, reason, detail }, text);
}

/**
 * Announces articles as they become interesting. It receives this process's changes in batches,
 * outside the path of votes. A guild without announcements costs one read of its setting for each
 * batch.
 */
export function followInteresting(
  context: DigestContext,
  hold: (work: Promise<void>) => void,
): void {
  const { store, ranking, clock } = context;
  /** Maps a guild that is being handled to the batches that changed there meanwhile. */
  const working = new Map<string, (readonly string[])[]>();

  async function hasNews(guild: string, batches: (readonly string[])[]): Promise<boolean> {
    if (!context.channels.serves(guild)) return false;
    if ((await readSetting(store, guild, 'announcements')) === null) return false;
    // An empty batch means that the mark changed, so any article may be interesting now.
    if (batches.some(({ length }) => length === 0)) return true;
    const changed = await readArticles(ranking, guild, [...new Set(batches.flat())]);
    const interesting = changed.flatMap((one) => (one?.interesting && one.listed ? [one.id] : []));
    return (await unannounced(store, guild, interesting)).length > 0;
  }

  async function work(guild: string): Promise<void> {
    for (let next = working.get(guild); next?.length; next = working.get(guild)) {
      working.set(guild, []);
      try {
        if (!(await hasNews(guild, next))) continue;
        // Set it first, so that another process announces if this one dies.
        await setDue(store, guild, ANNOUNCEMENTS, clock.now());
        await announceInteresting(context, guild);
      } catch (error) {
        context.log.warn(
          { ...fault(error), guild },
          'What is interesting is announced a little later.',
        );
      }
    }
    working.delete(guild);
  }

  ranking.changes.listen((guild, articles) => {
    const more = working.get(guild);
    if (more) {
      more.push(articles);
      return;
    }
    working.set(guild, [articles]);
    hold(work(guild));
  });
}
