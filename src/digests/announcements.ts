import { z } from 'zod';
import { noteAnnounced, unannounced } from '../articles/announced.ts';
import { noteHeldBack } from '../articles/held-back/held-back.ts';
import { readAnnouncing, writeAnnouncing } from './announcements-mark.ts';
import { ANNOUNCEMENTS, setDue } from './stored-digests.ts';
import { readRebuildState } from '../history/rebuild/stored-rebuilds.ts';
import { optedOutAmong } from '../community/opted-out.ts';
import { readSettings } from '../community/settings.ts';
import { translate } from '../text/catalogue.ts';
import { isRescoring, readMark } from '../ranking/articles/mark.ts';
import { interestingSince } from '../ranking/lists/ranked.ts';
import { FINAL_AFTER_MS } from '../ranking/rules.ts';
import { zTimeMs } from '../runtime/clock.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import { keepLease, type Lease, releaseLease, takeLease } from '../redis/lease.ts';
import { parseStored } from '../redis/parse-stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { hashOfTexts } from './content/draft.ts';
import { PROBE_MS } from './schedule/due.ts';
import { sendOnce } from './posting/send-once.ts';
import { type DigestContext, readState, type Trouble } from './posting/posting-context.ts';
import type { Target } from '../discord/requests/refusals.ts';
import {
  factsLine,
  type ItemContext,
  linkWithin,
  LONG_LINK,
} from '../articles/lists/article-item.ts';
import { itemContext } from '../articles/lists/item-context.ts';
import { besideTitle, linkedTitle } from '../articles/linked-title.ts';
import { limits } from '../discord/limits.ts';
import { listedTitle } from '../text/spoiler.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import { nonceOf } from '../discord/requests/requests.ts';

/** Under a minute, so that the next minute's tick finds it due. */
const LOOK_AGAIN_MS = 50_000;
const TITLE_LENGTH = 100;
/** After a crash, the next minute's tick finds it over. */
const CLAIM_MS = LOOK_AGAIN_MS;
/** The most articles of one message, if they fit into it. */
const MOST_AT_ONCE = 3;

/**
 * Announces articles of a guild that have become interesting and were not announced yet, each once.
 * Stores when to look again.
 * Articles that are interesting when announcements are switched on count as announced.
 * Throws if Redis or Discord fails; then call it again, which is safe.
 */
export async function announceInteresting(context: DigestContext, guild: Snowflake): Promise<void> {
  const { store, ranking, clock } = context;
  const { announcements: channel } = await readSettings(store, guild);
  const lookAtMs = channel === null ? null : clock.now() + LOOK_AGAIN_MS;
  await setDue(store, guild, ANNOUNCEMENTS, lookAtMs);
  const before = await readAnnouncing(store, guild);
  const ranked = await readRebuildState(store, guild);
  // Articles that a rebuild finds are not news either.
  if (channel === null || !ranked.complete) {
    if (before !== null) await writeAnnouncing(store, guild, null);
    return;
  }
  const interesting = await interestingSince(ranking, guild, clock.now() - FINAL_AFTER_MS);
  // Read the mark after the list: what a lower mark added meanwhile is then no news either.
  const [mark, isMoving] = await Promise.all([
    readMark(ranking, guild),
    isRescoring(ranking, guild),
  ]);
  if (isMoving) return;
  // Nor is an article that a lowered mark made interesting, without a vote.
  const isNews = before !== null && mark >= before;
  if (!isNews) await noteAnnounced(store, guild, await unannounced(store, guild, interesting));
  if (before !== mark) await writeAnnouncing(store, guild, mark);
  if (!isNews) return;
  const trouble = await announce(context, { guild, channel }, interesting);
  noteTrouble(context, { guild, channel }, trouble);
  if (trouble === null || trouble.reason === 'missing') return;
  await setDue(store, guild, ANNOUNCEMENTS, clock.now() + PROBE_MS);
}

/** Logs why nothing is announced when that is new. The check-up says so to the admins. */
function noteTrouble(
  { log, hindered }: DigestContext,
  { guild, channel }: Target,
  trouble: Trouble | null,
): void {
  const why = trouble && [channel, trouble.reason, trouble.detail].join(' ');
  if (why !== null && hindered.get(guild) !== why) {
    log.warn({ guild, channel, ...trouble }, 'Announcements are not posted.');
  }
  if (why === null) hindered.delete(guild);
  else hindered.set(guild, why);
}

/** A message that is stored before it is sent, so that the next process sends the same one. */
const zPlanned = z.object({
  channel: zSnowflake,
  ids: z.array(zSnowflake).min(1),
  content: z.string(),
  /** A plan that replaces others has their nonce: Discord takes one of them. */
  nonce: z.string(),
  /** The articles of the plans that it replaces, which may be in the channel in its place. */
  replaced: z.array(zSnowflake).default([]),
  /** A hash of what it says of each article besides numbers; null: an earlier version planned it. */
  texts: z.string().max(64).nullable().default(null),
  /** No plan that it replaces can have been sent before. */
  plannedAtMs: zTimeMs,
});
type Planned = z.infer<typeof zPlanned>;

/** Announces those articles, the oldest first, that were not announced yet. Returns why it cannot, or null. */
async function announce(
  context: DigestContext,
  target: Target,
  interesting: readonly Snowflake[],
): Promise<Trouble | null> {
  let atOnce = MOST_AT_ONCE;
  while ((await readNews(context, target.guild, interesting)).length > 0) {
    const outcome = await announceNext(context, target, interesting, atOnce);
    if (outcome.status === 'idle') return null;
    if (outcome.status === 'refused') return outcome;
    // One of them is held back: the next rounds try each by itself, and leave that one out.
    if (outcome.status === 'heldBack') atOnce = 1;
  }
  return null;
}

/** Those of the articles that are still to be announced. */
async function readNews(
  { store, ranking }: DigestContext,
  guild: Snowflake,
  interesting: readonly Snowflake[],
): Promise<Article[]> {
  const news = await unannounced(store, guild, interesting);
  return (await readArticles(ranking, guild, news)).filter(isAnnounceable);
}

function isAnnounceable(article: Article | null): article is Article {
  return article !== null && article.interesting && article.listed;
}

type Announced =
  /** `idle`: another process does it. `outdated`: nothing was sent, because it is no longer so. */
  | { status: 'announced' | 'idle' | 'outdated' }
  /** Because of a text in it, and there are others in it. */
  | { status: 'heldBack' }
  | ({ status: 'refused' } & Trouble);

/**
 * Sends one message, once among all processes, even if a process dies in between: claim → plan → read
 * back → send → record, like an edition of a digest.
 */
async function announceNext(
  context: DigestContext,
  target: Target,
  interesting: readonly Snowflake[],
  atOnce: number,
): Promise<Announced> {
  const { store, clock } = context;
  const { guild, channel } = target;
  const key = storeKeys(store, guild).lease('announcing');
  const claim = await takeLease(store, { key, ms: CLAIM_MS }, clock.now());
  if (claim.status !== 'taken') return { status: 'idle' };
  const { lease, notes } = claim;
  try {
    const stored = parseStored(zPlanned, notes.get('planned') ?? null);
    const isCurrent = (planned: Planned) => isPlanCurrent(context, target, interesting, planned);
    if (stored !== null) {
      const tried = notes.has('tried');
      const outcome = await deliver(context, target, { planned: stored, lease, tried, isCurrent });
      if (outcome.status !== 'outdated') return outcome;
    }
    const state = await readState(context, guild, channel);
    if (stored === null && state.status === 'broken') {
      // A plan that is never sent would only grow old, and what follows it in the channel is read back.
      await releaseLease(store, lease);
      return { ...state, status: 'refused' };
    }
    const planned = await plan(context, target, interesting, { atOnce, stored });
    if (planned === null) {
      await releaseLease(store, lease);
      return { status: 'idle' };
    }
    const note = { planned: JSON.stringify(planned) };
    if (!(await keepLease(store, lease, clock.now(), note))) return { status: 'idle' };
    const outcome = await deliver(context, target, { planned, lease, tried: false, isCurrent });
    if (outcome.status !== 'outdated') return outcome;
    // This process stood still before the send. The next minute plans anew, and knows of this plan.
    await releaseLease(store, lease, 'open');
    return { status: 'idle' };
  } catch (error) {
    // If the release fails too, the lease expires.
    await releaseLease(store, lease, 'open').catch(() => {});
    throw error;
  }
}

/** Whether a plan is still what would be announced. An article may be removed or retitled since. */
async function isPlanCurrent(
  context: DigestContext,
  { guild, channel }: Target,
  interesting: readonly Snowflake[],
  planned: Planned,
): Promise<boolean> {
  const news = await readNews(context, guild, interesting);
  const named = news.filter(({ id }) => planned.ids.includes(id));
  if (planned.channel !== channel || named.length < planned.ids.length) return false;
  return planned.texts === null || planned.texts === (await textsOf(context, guild, named));
}

/** Plans the next message; null if there is no news. */
async function plan(
  context: DigestContext,
  { guild, channel }: Target,
  interesting: readonly Snowflake[],
  { atOnce, stored }: { atOnce: number; stored: Planned | null },
): Promise<Planned | null> {
  const waiting = (await readNews(context, guild, interesting)).slice(0, atOnce);
  const state = await readState(context, guild, channel);
  const locale = state.status === 'elsewhere' ? 'en' : state.locale;
  const of = { guild, locale, ages: 'lasting', shownIn: 'content' } as const;
  const items = await itemContext(context, waiting, of);
  const { articles, content } = fittingOf(items, waiting);
  if (articles.length === 0) return null;
  const ids = articles.map(({ id }) => id);
  return {
    channel,
    ids,
    content,
    nonce: stored?.nonce ?? nonceOf(guild, 'interesting', ...ids),
    replaced: stored === null ? [] : [...stored.replaced, ...stored.ids],
    texts: hashOfTexts(articles, items.unnamed),
    plannedAtMs: stored?.plannedAtMs ?? context.clock.now(),
  };
}

/** As a plan stores it. A moderator may have retitled an article since, and its poster opted out. */
async function textsOf(
  { store }: DigestContext,
  guild: Snowflake,
  articles: readonly Article[],
): Promise<string> {
  const posters = articles.map(({ poster }) => poster);
  return hashOfTexts(articles, await optedOutAmong(store, guild, posters));
}

/** Sends what is planned, records it, and ends the lease. If it is outdated, the lease is still held. */
async function deliver(
  context: DigestContext,
  { guild, channel }: Target,
  {
    planned,
    lease,
    tried,
    isCurrent,
  }: {
    planned: Planned;
    lease: Lease;
    tried: boolean;
    isCurrent: (planned: Planned) => Promise<boolean>;
  },
): Promise<Announced> {
  const { store, log } = context;
  const { ids, replaced, content, nonce, plannedAtMs } = planned;
  const state = await readState(context, guild, planned.channel);
  // Another channel was chosen since: nobody sees what may be in the one before.
  if (state.status !== 'open' && planned.channel !== channel) return { status: 'outdated' };
  if (state.status !== 'open') {
    await releaseLease(store, lease, 'open');
    return state.status === 'broken' ? { ...state, status: 'refused' } : { status: 'idle' };
  }
  const named = [...new Set([...replaced, ...ids])];
  const toldIn = (text: string) => named.filter((id) => tells(text, id));
  const sent = await sendOnce(context, {
    lease,
    tried,
    isCurrent: () => isCurrent(planned),
    target: { guild, channel: planned.channel },
    nonce,
    body: { content, allowed_mentions: { parse: [] } },
    isIt: (text) => toldIn(text).length > 0,
    sinceMs: plannedAtMs,
    mayReadBack: state.mayReadBack,
  });
  switch (sent.status) {
    case 'lost':
      return { status: 'idle' };
    case 'outdated':
      return { status: 'outdated' };
    case 'posted': {
      const seen = sent.content === null ? [] : toldIn(sent.content);
      const told = seen.length > 0 ? seen : ids;
      await noteAnnounced(store, guild, told);
      await releaseLease(store, lease);
      log.info({ guild, articles: told }, 'Interesting articles were announced.');
      return { status: 'announced' };
    }
    case 'refused': {
      if (planned.channel !== channel) return { status: 'outdated' };
      if (sent.isText && ids.length === 1) {
        await noteAnnounced(store, guild, ids);
        const refusal = { code: sent.detail, locale: state.locale, now: context.clock.now() };
        await noteHeldBack(context, { guild, channel }, ids, refusal);
      }
      await releaseLease(store, lease, sent.isText || sent.isUnsent ? 'anew' : 'open');
      if (!sent.isText) return sent;
      return { status: ids.length === 1 ? 'announced' : 'heldBack' };
    }
    default:
      return sent satisfies never;
  }
}

/** Whether an announcement tells of an article: the line of its facts ends with the way to its message. */
function tells(content: string, article: Snowflake): boolean {
  return content
    .split('\n')
    .some((line) => line.startsWith('-# ') && line.endsWith(`/${article})`));
}

/** The first of these articles that fit into one message, and its content. One alone always fits. */
function fittingOf(
  context: ItemContext,
  waiting: readonly Article[],
): { articles: readonly Article[]; content: string } {
  const content = contentOf(context, waiting);
  if (content.length <= limits.contentLength) return { articles: waiting, content };
  return fittingOf(context, waiting.slice(0, -1));
}

/**
 * Writes two lines for each article. Discord shows a preview of the link if the article is the only
 * one.
 */
function contentOf(context: ItemContext, articles: readonly Article[]): string {
  const isAlone = articles.length === 1;
  return articles
    .flatMap((article) => {
      const link = linkWithin(article, LONG_LINK);
      const address = link === null || isAlone ? link : `<${link}>`;
      const title = linkedTitle(listedTitle(article.title, context.locale), address, {
        shownIn: 'content',
        length: TITLE_LENGTH,
        word: translate(context.locale, 'list.visit'),
      });
      const named = `${title}${besideTitle(article)}`;
      const line = translate(context.locale, 'announcement.line', { article: named });
      return [line, factsLine(article, context)];
    })
    .join('\n');
}
