import { rankingIn } from '../articles/ranking-in.ts';
import { z } from 'zod';
import { noteAnnounced, unannounced } from '../articles/announced.ts';
import { isNamedIn, writeAnnouncement } from './announcement-message.ts';
import { readAnnouncing, writeAnnouncing } from './announcements-mark.ts';
import { readRebuildState } from '../history/rebuild/stored-rebuilds.ts';
import { readBlocks } from '../community/blocks.ts';
import { promotedBy } from '../community/may-stand.ts';
import { notifyAdmins } from '../community/admin-messages.ts';
import { translate } from '../text/catalogue.ts';
import { readSettings } from '../community/settings.ts';
import { isRescoring, readMark } from '../ranking/articles/mark.ts';
import { interestingSince } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { FINAL_AFTER_MS } from '../ranking/rules.ts';
import type { Next } from '../due/kind.ts';
import type { Trouble } from '../due/troubles.ts';
import { DAY_MS, MINUTE_MS, zTimeMs } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';
import { keepLease, type Lease, releaseLease, takeLease } from '../redis/lease.ts';
import { stored } from '../redis/stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { LOOK_FOR_PERMISSIONS_MS, PROBE_MS } from './schedule/due.ts';
import { brokenText, type DigestContext, readState } from './posting/posting-context.ts';
import type { Target } from '../discord/requests/refusals.ts';
import type { Refusal } from '../messages/messages.ts';
import { keepShown, type Shown, type Standing } from '../messages/keep-shown.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { nonceOf } from '../discord/requests/requests.ts';

const LOOK_AGAIN_MS = MINUTE_MS;
/** After a crash, the next minute's look finds it over. */
const CLAIM_MS = 50_000;
/** How far back an announcement is looked for before it is sent. */
const LOST_AT_MOST_MS = DAY_MS;
/** The most articles of one message, if they fit into it. */
const MOST_AT_ONCE = 3;

/**
 * Announces articles of a guild that have become interesting and were not announced yet, each once. What makes an
 * article interesting plans it, in the same step; so do a new mark, a whole ranking and what everybody may view.
 * Returns when to look again without that, and what hinders it. `hindered`: what did the last time, and was logged.
 * Articles that are interesting when announcements are switched on count as announced.
 * Throws if Redis or Discord fails; then call it again, which is safe.
 */
export async function announceInteresting(
  context: DigestContext,
  guild: Snowflake,
  hindered: Pick<Trouble, 'why' | 'detail'> | null = null,
): Promise<Next> {
  const { store, ranking, clock, log } = context;
  const { announcements: channel } = await readSettings(store, guild);
  const done = { atMs: null };
  const again = () => ({
    atMs: clock.now() + LOOK_AGAIN_MS,
    ...(hindered && { trouble: hindered }),
  });
  const before = await readAnnouncing(store, guild);
  const ranked = await readRebuildState(store, guild);
  // Articles that a rebuild finds are not news either.
  if (channel === null || !ranked.complete) {
    if (before !== null) await writeAnnouncing(store, guild, null);
    return done;
  }
  const interesting = await interestingSince(ranking, guild, clock.now() - FINAL_AFTER_MS);
  // Read the mark after the list: what a lower mark added meanwhile is then no news either.
  const [mark, isMoving] = await Promise.all([
    readMark(ranking, guild),
    isRescoring(ranking, guild),
  ]);
  if (isMoving) return again();
  // Nor is an article that a lowered mark made interesting, without a vote.
  const isNews = before !== null && mark >= before;
  if (!isNews) await noteAnnounced(store, guild, await unannounced(store, guild, interesting));
  if (before !== mark) await writeAnnouncing(store, guild, mark);
  if (!isNews) return done;
  const shown = { ...context, ranking: rankingIn(context, guild, channel) };
  const ended = await announce(shown, { guild, channel }, interesting);
  // The end of a block plans nothing.
  if (ended.status === 'announced') {
    return (await areHeldBack(shown, guild, interesting)) ? again() : done;
  }
  if (ended.status === 'idle') return again();
  const { reason: why, detail } = ended;
  if (hindered?.why !== why || hindered.detail !== detail) {
    log.warn({ guild, channel, reason: why, detail }, 'Announcements are not posted.');
  }
  if (hindered?.why !== why) await tellBroken(context, { guild, channel }, ended);
  const atMs = clock.now() + (why === 'missing' ? LOOK_FOR_PERMISSIONS_MS : PROBE_MS);
  return { atMs, trouble: { why, detail } };
}

/** Tells who can help what hinders announcements. Of a channel that is gone the guild's settings are told of. */
async function tellBroken(
  context: DigestContext,
  { guild, channel }: Target,
  trouble: Refusal,
): Promise<void> {
  if (trouble.reason === 'gone') return;
  const { language } = await readSettings(context.store, guild);
  const locale = language ?? context.client.guilds.cache.get(guild)?.preferredLocale ?? 'en';
  const reason = brokenText(locale, channel, trouble);
  const text = translate(locale, 'announcement.notify.broken', { reason });
  await notifyAdmins(context, { guild, channel, ...trouble }, text);
}

/** What was tried: the articles of a message that may be in the channel, or on its way there. */
const zTried = z.object({
  channel: zSnowflake,
  ids: z.array(zSnowflake).min(1),
  /** A further try has the same: Discord takes one of them. */
  nonce: z.string(),
  sinceMs: zTimeMs,
});
const storedTry = stored('lease.tried', zTried);

/** Announces those articles, the oldest first, that were not announced yet. */
async function announce(
  context: DigestContext,
  target: Target,
  interesting: readonly Snowflake[],
): Promise<Announced> {
  while ((await readNews(context, target.guild, interesting)).length > 0) {
    const outcome = await announceNext(context, target, interesting);
    if (outcome.status !== 'announced') return outcome;
  }
  return { status: 'announced' };
}

/** Those of the articles that are still to be announced. */
async function readNews(
  context: DigestContext,
  guild: Snowflake,
  interesting: readonly Snowflake[],
): Promise<Article[]> {
  return readAnnounceable(context, guild, await unannounced(context.store, guild, interesting));
}

/** Whether there would be news, but for what is blocked. */
async function areHeldBack(
  { store, ranking }: DigestContext,
  guild: Snowflake,
  interesting: readonly Snowflake[],
): Promise<boolean> {
  const ids = await unannounced(store, guild, interesting);
  return (await readInteresting(ranking, guild, ids)).length > 0;
}

async function readInteresting(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<Article[]> {
  return (await readArticles(ranking, guild, ids)).filter(
    (article): article is Article => article !== null && article.interesting && article.listed,
  );
}

async function readAnnounceable(
  { store, ranking, clock }: DigestContext,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<Article[]> {
  const articles = await readInteresting(ranking, guild, ids);
  if (articles.length === 0) return [];
  return articles.filter(promotedBy(await readBlocks(store, guild), clock.now()));
}

/** `idle`: another process does it, or it is tried again in a minute. */
type Announced = { status: 'announced' } | { status: 'idle' } | ({ status: 'refused' } & Refusal);

/**
 * Sends one message, once among all processes, even if a process dies in between: claim → look → write → send
 * or edit → record, like an edition of a digest.
 */
async function announceNext(
  context: DigestContext,
  target: Target,
  interesting: readonly Snowflake[],
): Promise<Announced> {
  const { store, clock } = context;
  const key = storeKeys(store, target.guild).lease('announcing');
  const claim = await takeLease(store, { key, ms: CLAIM_MS }, clock.now());
  if (claim.status !== 'taken') return { status: 'idle' };
  const { lease, notes } = claim;
  try {
    const state = await readState(context, target.guild, target.channel);
    if (state.status !== 'open') {
      await releaseLease(store, lease, 'open');
      return state.status === 'broken' ? { ...state, status: 'refused' } : { status: 'idle' };
    }
    const claimed = { target, interesting, lease, notes, ...state };
    return await endAnnouncement(context, claimed, await showAnnouncement(context, claimed));
  } catch (error) {
    // If the release fails too, the lease expires.
    await releaseLease(store, lease, 'open').catch(() => {});
    throw error;
  }
}

type ClaimedAnnouncement = {
  target: Target;
  interesting: readonly Snowflake[];
  lease: Lease;
  notes: ReadonlyMap<string, string>;
  locale: string;
  mayReadBack: boolean;
};

/** Has a message stand in the channel that names the news, or what an earlier process named. */
async function showAnnouncement(
  context: DigestContext,
  { target, interesting, lease, notes, locale, mayReadBack }: ClaimedAnnouncement,
): Promise<{ shown: Shown; named: Snowflake[] }> {
  const { store, clock } = context;
  const { guild, channel } = target;
  const noted = storedTry.read(notes.get('tried'));
  // Nobody sees what may be in a channel that was chosen before.
  const tried = noted?.channel === channel ? noted : null;
  const news = (await readNews(context, guild, interesting)).slice(0, MOST_AT_ONCE);
  const ids = news.map(({ id }) => id);
  const before = tried?.ids ?? [];
  const maybeNamed = [...new Set([...before, ...ids])];
  const { nonce, sinceMs } = tried ?? {
    nonce: nonceOf(guild, 'interesting', ...ids),
    // A Redis that lost what it was told does not know what it announced of them.
    sinceMs: Math.max(clock.now() - LOST_AT_MOST_MS, Math.min(...ids.map(snowflakeTimeMs))),
  };
  let named = ids;
  const namedIn = (content: string) => maybeNamed.filter((id) => isNamedIn(content, id));
  const standing: Standing = {
    target,
    nonce,
    matches: (content) => namedIn(content).length > 0,
    sinceMs,
    mayReadBack,
    async write({ isPlain, found }) {
      // Some of what is found may be recorded already, and stays.
      const shownIds = found && namedIn(found.content);
      const articles =
        shownIds === null
          ? await readNews(context, guild, ids)
          : await readAnnounceable(context, guild, shownIds);
      const written = await writeAnnouncement(context, { guild, locale, isPlain }, articles);
      named = shownIds ?? written.named;
      return written.body;
    },
  };
  const shown = await keepShown(context, standing, {
    isTried: tried !== null,
    hold(isTry) {
      const all = [...new Set([...before, ...named])];
      const note = { tried: storedTry.write({ channel, ids: all, nonce, sinceMs }) };
      return keepLease(store, lease, clock.now(), isTry ? note : {});
    },
  });
  if (shown.status === 'unknown') return { shown, named: before };
  const stood = shown.status === 'shown' ? shown.before : undefined;
  return { shown, named: stood === undefined ? named : namedIn(stood.content) };
}

/** Records what was announced, and ends the claim. */
async function endAnnouncement(
  { store, log }: DigestContext,
  { target, lease }: ClaimedAnnouncement,
  { shown, named }: { shown: Shown; named: Snowflake[] },
): Promise<Announced> {
  const { guild } = target;
  switch (shown.status) {
    case 'shown':
    case 'unknown':
      if (shown.status === 'shown' && shown.refusedLinks !== undefined) {
        const about = { ...target, code: shown.refusedLinks };
        log.warn(about, 'Discord refuses a link of an announcement; it was posted without links.');
      }
      await noteAnnounced(store, guild, named, messageOf(shown, target.channel));
      await releaseLease(store, lease);
      log.info({ guild, articles: named }, 'Interesting articles were announced.');
      return { status: 'announced' };
    case 'none':
      await releaseLease(store, lease, 'open');
      return { status: 'idle' };
    case 'lost':
      return { status: 'idle' };
    case 'refused':
      await releaseLease(store, lease, shown.isUnsent ? 'anew' : 'open');
      return shown;
  }
}

/** Where an announcement stands, if it is known. */
function messageOf(
  shown: Shown,
  channel: Snowflake,
): { channel: Snowflake; message: Snowflake } | null {
  return shown.status === 'shown' ? { channel, message: shown.message } : null;
}
